import Testing

@testable import Filling

@Suite(.timeLimit(.minutes(1)))
struct FetchTroubleTests {
  @Test(arguments: [0.0, 0.5, 1.0])
  func waitsDoubleUpTo4AndAHalfSeconds(jitter: Double) {
    var trouble = FetchTrouble(0..<10, at: .zero)
    var waits: [Duration] = []
    for _ in 0..<8 {
      trouble.again(0..<10, answered: true, atLeast: nil, now: .zero, jitter: jitter)
      waits.append(trouble.notBefore)
    }

    let whole: [Duration] = [500, 1000, 2000, 4000, 4500, 4500, 4500, 4500].map {
      .milliseconds($0)
    }
    #expect(waits == whole.map { $0 * (0.75 + jitter / 4) })
  }

  @Test func onlyAnswersCount() {
    var trouble = FetchTrouble(0..<10, at: .zero)
    for (answered, expected) in [(true, 1), (true, 2), (false, 2), (true, 3), (false, 3)] {
      trouble.again(0..<10, answered: answered, atLeast: nil, now: .zero, jitter: 0)

      #expect(trouble.fruitless == expected)
    }
  }

  @Test func itCoversAllThatFailed() {
    var trouble = FetchTrouble(50..<60, at: .zero)
    trouble.again(20..<30, answered: true, atLeast: nil, now: .zero, jitter: 0)

    #expect(trouble.bytes == 20..<60)
  }

  @Test func retryAfterIsNeverCutShort() {
    var trouble = FetchTrouble(0..<10, at: .zero)
    trouble.again(
      0..<10, answered: true, atLeast: .seconds(30), now: .seconds(1), jitter: 1)
    #expect(trouble.notBefore == .seconds(31))
    trouble.again(
      0..<10, answered: true, atLeast: .zero, now: .seconds(31), jitter: 1)
    #expect(trouble.notBefore == .seconds(32))
  }

  @Test func jitterLiesBetween0And1AndTheSameSeedGivesTheSame() {
    var (one, same, other) = (Jitter(seed: 7), Jitter(seed: 7), Jitter(seed: 8))
    let row = (0..<1000).map { _ in one.next() }

    #expect(row.allSatisfy { (0...1).contains($0) })
    #expect(row == (0..<1000).map { _ in same.next() })
    #expect(row != (0..<1000).map { _ in other.next() })
    #expect(Set(row).count > 990)
    let mean: Double = row.reduce(0, +) / 1000
    #expect((0.45...0.55).contains(mean))
  }
}
