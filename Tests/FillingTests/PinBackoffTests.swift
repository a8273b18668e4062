import TestSupport
import Testing

@testable import Filling

/// Backoff after fetched bytes were lost.
@Suite(.timeLimit(.minutes(1)))
struct PinBackoffTests {
  private var rests = PinBackoff<Int>()

  @Test mutating func eachRestIsTwiceAsLongAsTheOneBefore() {
    var now = Duration.zero
    var lengths: [Duration] = []
    for _ in 0..<12 {
      let length = rests.begin(1, at: now)
      lengths.append(length ?? .zero)
      now += length ?? .zero
    }

    #expect(Array(lengths[..<4]) == [60, 120, 240, 480].map { Duration.seconds($0) })
    #expect(
      lengths.last == PinBackoff<Int>.maxPause
        && lengths.dropLast().last == PinBackoff<Int>.maxPause)
  }

  @Test mutating func whoRestsDoesSoUntilItsTimeIsOver() {
    #expect(rests.begin(1, at: .seconds(5)) == Figure.pinBackoff.time)

    #expect(rests.includes(1, at: .seconds(64)) && !rests.includes(2, at: .seconds(64)))
    #expect(rests.begin(1, at: .seconds(64)) == nil)
    #expect(!rests.includes(1, at: .seconds(65)))
  }

  @Test mutating func whoIsGivenAnotherTryBeginsAnew() {
    _ = rests.begin(1, at: .zero)
    _ = rests.begin(1, at: .seconds(60))
    rests.end(1)

    #expect(!rests.includes(1, at: .seconds(61)))
    #expect(rests.begin(1, at: .seconds(61)) == PinBackoff<Int>.first)
  }
}
