import Catalog
import FeedReading
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct RefreshScheduleTests {
  private func facts(ttl: Int?, maxAge: Int?) throws -> PageFacts {
    var catalog = try Catalog.empty()
    var page = feed("a")
    page.ttl = ttl
    _ = catalog.merge(page, answer: PageFacts(maxAge: maxAge), now: noon) { _ in "mp4" }
    return catalog.page
  }

  @Test(
    arguments: [
      (base: 30, ttl: Int?.none, maxAge: Int?.none, minutes: 30),
      (30, 60, nil, 60), (30, 10, nil, 30), (30, nil, 7200, 120), (30, 60, 7200, 120),
      (1, nil, nil, 5), (30, Int.max, nil, 1440), (30, nil, Int.max, 1440),
      (30, Int.min, -1, 30), (100_000, nil, nil, 1440), (0, 0, 0, 5),
    ])
  func theLongestWishHoldsWithinBounds(
    base: Int, ttl: Int?, maxAge: Int?, minutes: Int
  ) throws {
    let schedule = RefreshSchedule(base: .seconds(60 * base))

    let wait = schedule.wait(after: try facts(ttl: ttl, maxAge: maxAge), now: 0, jitter: 0)

    #expect(wait == .seconds(60 * minutes))
  }

  @Test func theBoundsAreThePromisedOnes() {
    let schedule = RefreshSchedule()

    #expect(schedule.base == Figure.refreshInterval.time)
    #expect(schedule.minWait == Figure.minRefreshWait.time)
    #expect(schedule.maxWait == Figure.maxRefreshWait.time)
  }

  @Test(arguments: [(1, 5), (2, 10), (3, 20), (4, 30), (5, 30), (Int.max, 30), (0, 5)])
  func failuresDoubleTheWaitUpToTheInterval(failures: Int, minutes: Int) {
    let wait = RefreshSchedule().wait(
      afterFailures: failures, of: PageFacts(), retryAfter: nil, jitter: 0)

    #expect(wait == .seconds(60 * minutes))
  }

  @Test(
    arguments: [
      (Duration.seconds(3600), 60), (.seconds(1), 5), (.seconds(1_000_000), 1440),
      (.seconds(-9), 5),
    ])
  func aServersRetryAfterIsHonoured(retryAfter: Duration, minutes: Int) {
    let wait = RefreshSchedule().wait(
      afterFailures: 1, of: PageFacts(), retryAfter: retryAfter, jitter: 0)

    #expect(wait == .seconds(60 * minutes))
  }

  @Test(arguments: [0, 0.5, 0.999, 1, -3, 7])
  func chanceAddsATenthAtMost(jitter: Double) {
    let wait = RefreshSchedule().wait(after: PageFacts(), now: 0, jitter: jitter)

    #expect(wait >= .seconds(1800) && wait <= .seconds(1980))
  }

  @Test func chanceNeverGoesBeyondTheBounds() {
    let daily = RefreshSchedule(base: .seconds(24 * 3600))

    #expect(daily.wait(after: PageFacts(), now: 0, jitter: 0.9) == .seconds(24 * 3600))
  }

  @Test func theFirstRefreshIsAtOnce() {
    #expect(RefreshSchedule.first == .zero)
  }

  @Test func theLongerOfTheWishesOfAFeedHolds() throws {
    let text = rss(
      "<ttl>90</ttl><sy:updatePeriod>hourly</sy:updatePeriod><item><guid>a</guid></item>")
    var catalog = Catalog(feed: try FeedKey("https://h.org/"))
    _ = catalog.merge(try parse(text), now: 0, fileExtension: { _ in "mp4" })
    #expect(catalog.page.ttl == 90)
  }
}
