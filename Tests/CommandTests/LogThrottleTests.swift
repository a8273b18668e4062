import Testing

@testable import CommandTools

@Suite(.timeLimit(.minutes(1)))
struct LogThrottleTests {
  private typealias Throttle = LogThrottle<Int>

  private func kind(_ message: String = "a file could not be read", _ reason: String = "404")
    -> Throttle.Kind
  {
    Throttle.Kind(message, reason: reason)
  }

  @Test func theSecondLineOfAKindComesAfterAMinuteAndThenFewerAndFewerCome() {
    var throttle = Throttle()
    var written: [Int] = []
    var lines = 0
    for second in 0..<4000 {
      guard let leftOut = throttle.takes(second, kind(), at: .seconds(second)) else { continue }
      written.append(second)
      lines += leftOut + 1
    }
    #expect(written == [0, 60, 180, 420, 900, 1860, 3780])
    #expect(lines == 3781, "each line is counted once")
  }

  @Test func aMonthOfOneKindIsAFewLines() {
    var throttle = Throttle()
    let count = (0..<30 * 24 * 60).count {
      throttle.takes($0, kind(), at: .seconds(60 * $0)) != nil
    }
    #expect(count < 45)
  }

  @Test func whatWasQuietIsToldAtOnce() {
    var throttle = Throttle()
    for second in 0..<200 { _ = throttle.takes(second, kind(), at: .seconds(second)) }
    #expect(throttle.takes(0, kind(), at: .seconds(2000)) == 19)
    #expect(throttle.takes(0, kind(), at: .seconds(10_000)) == 0)
    #expect(throttle.takes(0, kind(), at: .seconds(10_059)) == nil)
    #expect(throttle.takes(0, kind(), at: .seconds(10_061)) == 1, "after a minute again")
  }

  @Test func kindsDoNotHoldEachOtherUp() {
    var throttle = Throttle()
    #expect(throttle.takes(1, kind("refreshed", ""), at: .zero) == 0)
    #expect(throttle.takes(2, kind("another version", ""), at: .zero) == 0)
    #expect(throttle.takes(3, kind("another version", "why"), at: .zero) == 0)
    #expect(throttle.takes(4, kind("refreshed", ""), at: .seconds(59)) == nil)
    // Places and sizes make no kind.
    #expect(throttle.takes(5, kind("wrong", "bytes 0-99"), at: .zero) == 0)
    #expect(throttle.takes(6, kind("wrong", "bytes 100-1999"), at: .zero) == nil)
  }

  /// Strangers write some of the reasons.
  @Test func reasonsWithoutEndAreFewKinds() {
    var throttle = Throttle()
    let words = (0..<1000).map { String(repeating: "x", count: $0) }
    let count = words.count { throttle.takes(0, kind("wrong", $0), at: .seconds(1)) != nil }
    #expect(count == Throttle.maxReasons + 1)
    let messages = words.count { throttle.takes(0, kind($0, ""), at: .seconds(1)) != nil }
    #expect(messages <= Throttle.maxMessages + 1)
  }

  @Test func whatWasLeftOutIsToldAtTheEndOnce() {
    var throttle = Throttle()
    for line in 1...5 { _ = throttle.takes(line, kind(), at: .seconds(line)) }
    for line in 11...12 { _ = throttle.takes(line, kind("refreshed", ""), at: .seconds(line)) }
    _ = throttle.takes(20, kind("mounted", ""), at: .seconds(20))
    let rest = throttle.rest()
    #expect(rest.map(\.line) == [5, 12] && rest.map(\.count) == [4, 1])
    #expect(throttle.rest().isEmpty)
  }
}
