import TestSupport
import Testing

@testable import FeedMount

@Suite(.timeLimit(.minutes(1))) struct RenewalRuleTests {
  private let start = Duration.seconds(100)

  @Test func aFeedThatWasNotJustAskedIsAskedAtOnce() {
    var rule = RenewalRule()

    #expect(rule.wait(for: "a", refusedAt: start, lastAsked: nil) == .zero)
    let later = start + Figure.renewalPause.time
    #expect(rule.wait(for: "a", refusedAt: later, lastAsked: start) == .zero)
  }

  @Test func anAddressThatExpiresAgainIsAskedForFiveSecondsAfterTheLastTime() {
    var rule = RenewalRule()
    _ = rule.wait(for: "a", refusedAt: start, lastAsked: nil)

    #expect(
      rule.wait(for: "b", refusedAt: start + .seconds(2), lastAsked: start) == Figure.renewalPause
        .time - .seconds(2))
    // Another reader of the same version waits for the same refresh.
    #expect(rule.wait(for: "b", refusedAt: start + .seconds(4), lastAsked: start) == .seconds(1))
  }

  @Test func anAddressThatTheFeedStillHasIsNotAskedForAgainSoSoon() {
    var rule = RenewalRule()
    _ = rule.wait(for: "a", refusedAt: start, lastAsked: nil)
    let asked = start + .milliseconds(10)

    #expect(rule.wait(for: "a", refusedAt: start + .seconds(1), lastAsked: asked) == nil)
    #expect(rule.wait(for: "a", refusedAt: start + .seconds(6), lastAsked: asked) == .zero)
  }

  @Test func whatWasRefusedBeforeTheFeedWasAskedIsForgotten() {
    var rule = RenewalRule()
    _ = rule.wait(for: "a", refusedAt: start, lastAsked: nil)
    let asked = start + .seconds(60)

    #expect(rule.wait(for: "a", refusedAt: asked + .seconds(1), lastAsked: asked) == .seconds(4))
  }
}
