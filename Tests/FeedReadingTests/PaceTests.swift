import FeedReading
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PaceTests {
  @Test(
    arguments: [
      ("", nil), ("<sy:updatePeriod>hourly</sy:updatePeriod>", 60),
      (
        "<sy:updatePeriod> Daily </sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>",
        360
      ),
      (
        "<sy:updatePeriod>weekly</sy:updatePeriod><sy:updateFrequency>0</sy:updateFrequency>",
        10_080
      ),
      ("<sy:updatePeriod>sometimes</sy:updatePeriod>", nil),
      // The module's own default is a day.
      ("<sy:updateFrequency>2</sy:updateFrequency>", 720),
      ("<itunes:complete>Yes</itunes:complete>", 1440),
      ("<itunes:complete>no</itunes:complete>", nil),
      ("<podcast:updateFrequency complete=\"true\">done</podcast:updateFrequency>", 1440),
    ] as [(String, Int?)])
  func aPublisherSaysHowOftenThereIsNews(text: String, minutes: Int?) throws {
    let feed = try parse(rss(text))
    #expect(feed.pace.minutes == minutes && feed.ttl == nil)
    #expect(!feed.complete, "what is missing from it may still be there")
  }
}
