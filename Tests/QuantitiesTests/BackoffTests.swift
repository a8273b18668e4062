import Quantities
import Testing

/// A backoff tells how long to wait before something that has failed is tried again.
struct BackoffTests {
  @Test(arguments: [
    (2, [10, 20, 40, 80, 160, 160]), (4, [10, 40, 160, 160, 160]), (3, [10, 30, 90, 160]),
    (1, [10, 10, 10]),
  ])
  func itGrowsUpToItsLongest(factor: Int, delays: [Int]) {
    var backoff = Backoff(from: .seconds(10), to: .seconds(160), factor: factor)
    for (failures, delay) in delays.enumerated() {
      #expect(backoff.delay(afterFailures: failures + 1) == .seconds(delay))
      #expect(backoff.failed() == .seconds(delay))
    }
  }

  @Test func aSuccessStartsItAgain() {
    var backoff = Backoff(from: .seconds(1), to: .seconds(60))
    let fresh = backoff
    for _ in 0..<10 { backoff.failed() }
    #expect(backoff.next == .seconds(60))
    backoff.reset()
    #expect(backoff == fresh)
    #expect(backoff.failed() == .seconds(1))
  }

  @Test func whatTheOtherSideAsksForIsKeptAndDoesNotGrow() {
    var backoff = Backoff(from: .seconds(1), to: .seconds(8))
    #expect(backoff.failed(atLeast: .seconds(30)) == .seconds(30))
    #expect(backoff.failed(atLeast: .milliseconds(1)) == .seconds(2))
    #expect(backoff.failed() == .seconds(4))
  }

  @Test func itCanBeEasedByOneFailureAndNoFurther() {
    var backoff = Backoff(from: .seconds(10), to: .seconds(160))
    for _ in 0..<9 { backoff.failed() }
    backoff.ease()
    #expect(backoff.failed() == .seconds(80))
    for _ in 0..<9 { backoff.ease() }
    #expect(backoff.failed() == .seconds(10))
  }

  @Test(arguments: [-1, 0, 1]) func fewerFailuresThanOneCountAsOne(count: Int) {
    #expect(Backoff(from: .seconds(5), to: .seconds(9)).delay(afterFailures: count) == .seconds(5))
  }

  @Test(arguments: [100, Int.max]) func manyFailuresWaitForTheLongest(count: Int) {
    #expect(Backoff(from: .seconds(5), to: .seconds(9)).delay(afterFailures: count) == .seconds(9))
    // A longest delay below the first is a bound all the same.
    #expect(Backoff(from: .seconds(5), to: .seconds(3)).delay(afterFailures: count) == .seconds(3))
  }
}
