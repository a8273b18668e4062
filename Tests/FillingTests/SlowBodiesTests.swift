import TestSupport
import Testing

@testable import Filling

/// Bodies without length that come more slowly than they play.
@Suite(.timeLimit(.minutes(1)))
struct SlowBodiesTests {
  private var bodies = SlowBodies<String>()

  /// Returns the slow ones of bodies of which so many bytes have come, all with one rate.
  private mutating func slow(
    _ bytes: [String: Int], rate: Int? = nil, at time: Duration
  ) -> [String] {
    bodies.saw(bytes.mapValues { .init(bytes: $0, rate: rate) }, at: time).sorted()
  }

  @Test mutating func afterSomeMinutesThatWhichBringsLessThanItPlaysIsSlow() {
    let (span, rate) = (Figure.slowSpan.time, Figure.slowRate.bytes)
    let enough = rate * Int(span / .seconds(1))
    #expect(slow(["a": 0, "b": 1000, "c": 0], at: .zero) == [])
    #expect(slow(["a": 5, "b": 1000, "c": 9], at: span - .seconds(1)) == [])
    #expect(slow(["a": enough, "b": 999 + enough, "c": 9], at: span) == ["b", "c"])
    // Each is judged anew.
    #expect(slow(["a": enough, "b": 2000 + 2 * enough, "c": 9], at: span * 2) == ["a", "c"])
  }

  @Test mutating func theRateOfTheFileItselfCounts() {
    let seconds = Int(SlowBodies<String>.span / .seconds(1))
    _ = slow(["a": 0, "b": 0], rate: 1000, at: .zero)
    let bytes = ["a": 1000 * seconds, "b": 999 * seconds]
    #expect(slow(bytes, rate: 1000, at: SlowBodies<String>.span) == ["b"])
  }

  @Test mutating func whatBeginsAnewOrIsPutAsideIsJudgedFromThenOn() {
    let span = SlowBodies<String>.span
    _ = slow(["a": 5000, "b": 5000], at: .zero)
    #expect(slow(["a": 10], at: span) == [])
    #expect(slow(["a": 20, "b": 5000], at: span * 2 - .seconds(1)) == [])
    #expect(slow(["a": 20, "b": 5000], at: span * 2) == ["a"])
  }

  @Test func thatWhichIsPutAsideComesAgainBehindTheOthers() {
    var plan = PreloadPlan<String>()
    for name in ["slow", "a", "b"] { plan.wantsAll(of: name, because: .pinned) }
    #expect(plan.filled == ["slow", "a"])
    plan.postpone("slow")
    #expect(plan.filled == ["a", "b"])
    plan.isDone(with: "a")
    #expect(plan.filled == ["b", "slow"])
  }
}
