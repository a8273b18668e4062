import Testing

@testable import Filling

/// Answers that start slowly are told from those that do not.
@Suite(.timeLimit(.minutes(1)))
struct SlowStartTests {
  /// Bytes of each tenth of the first two round trips, of 100 ms.
  private func isSeen(_ bytes: [Int], isAlone: Bool = true) -> Bool {
    var slowStart = SlowStart(isSeen: false)
    slowStart.began(at: .zero)
    for (index, bytes) in bytes.enumerated() {
      slowStart.arrived(
        bytes, isAlone: isAlone, latency: .milliseconds(100), at: .milliseconds(10 * index))
    }
    return slowStart.isSeen
  }

  private func rounds(_ first: Int, _ second: Int) -> [Int] {
    [first] + Array(repeating: 0, count: 9) + [second] + Array(repeating: 0, count: 8)
  }

  @Test func tenPacketsAndThenTwentyAreSlowStart() {
    #expect(isSeen(rounds(14_600, 29_200)))
    // The line carries no more in the second round trip.
    #expect(isSeen(rounds(14_600, 25_000)))
  }

  /// Bytes of the first two round trips come together, since the machine was busy.
  @Test func aSecondLookIsTakenWhereThatIsNotClear() {
    #expect(!isSeen(rounds(44_000, 58_000)))
    #expect(isSeen(rounds(44_000, 58_000) + [0, 117_000]))
  }

  @Test func aSteadyAnswerIsNone() {
    #expect(!isSeen(Array(repeating: 2_000, count: 19)))
    #expect(!isSeen(Array(repeating: 200_000, count: 19)))
    #expect(!isSeen(rounds(14_600, 16_000)))
  }

  @Test func whatComesAfterASilenceIsNone() {
    #expect(!isSeen(rounds(0, 29_200)))
    #expect(!isSeen(rounds(1_000, 100_000)))
    #expect(!isSeen(rounds(100_000, 400_000)))
  }

  @Test func anAnswerBesideOthersTellsNothing() {
    #expect(!isSeen(rounds(14_600, 29_200), isAlone: false))
  }

  @Test func whatWasSeenStays() {
    var slowStart = SlowStart(isSeen: true)
    slowStart.began(at: .zero)
    slowStart.arrived(1 << 20, isAlone: true, latency: .milliseconds(100), at: .zero)
    slowStart.stop()

    #expect(slowStart.isSeen)
  }
}
