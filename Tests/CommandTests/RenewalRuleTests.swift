import TestSupport
import Testing

@testable import FeedMount

@Suite(.timeLimit(.minutes(1))) struct RenewalRuleTests {
  private let start = Duration.seconds(100)
  private let pause = Figure.renewalPause.time
  private let entryPause = Figure.entryRenewalPause.time

  @Test func theFeedIsAskedAtOnceTheFirstTime() {
    var rule = RenewalRule()

    #expect(rule.mayAsk(for: 1, at: start) == true)
  }

  @Test func forAnotherEntryItIsAskedAfterFiveSeconds() {
    var rule = RenewalRule()
    _ = rule.mayAsk(for: 1, at: start)

    #expect(rule.mayAsk(for: 2, at: start) == false)
    #expect(rule.mayAsk(for: 2, hasWorked: true, at: start + pause - .milliseconds(1)) == false)
    #expect(rule.mayAsk(for: 2, at: start + pause) == true)
    #expect(rule.mayAsk(for: 3, at: start + pause + .seconds(1)) == false)
  }

  @Test func forTheSameEntryItIsAskedAfterAMinute() {
    var rule = RenewalRule()
    _ = rule.mayAsk(for: 1, at: start)

    #expect(rule.mayAsk(for: 1, at: start + entryPause - .milliseconds(1)) == false)
    #expect(rule.mayAsk(for: 1, at: start + entryPause) == true)
  }

  @Test func anAddressThatWorkedMayRunOutEarlier() {
    var rule = RenewalRule()
    _ = rule.mayAsk(for: 1, at: start)

    #expect(rule.mayAsk(for: 1, hasWorked: true, at: start + pause) == true)
    #expect(rule.mayAsk(for: 1, at: start + pause * 2) == false)
  }

  /// A program looks at each of a thousand entries that are gone, ten a second.
  @Test func aScanOfEntriesThatAreGoneCostsAFewRequests() {
    var rule = RenewalRule()
    let asked = (0..<1000).count { number in
      rule.mayAsk(for: number, at: start + .milliseconds(100 * number))
    }

    #expect(asked == 20)
  }
}
