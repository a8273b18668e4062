import Catalog
import FeedReading
import Testing

@Suite(.timeLimit(.minutes(1)))
struct QuietTimesTests {
  private static let day = 86_400

  private func quiet(_ text: String) throws -> QuietTimes {
    try parse(rss(text)).quiet
  }

  @Test func nobodyIsAskedInAnHourThatIsToBeSkipped() throws {
    let quiet = try quiet(
      "<skipHours><hour>0</hour><hour>1</hour><hour> 24 </hour><hour>x</hour><hour>25</hour></skipHours>"
    )
    #expect(quiet.hours == [0, 1])
    #expect(quiet.end(after: 100) == 2 * 3600)
    #expect(quiet.end(after: 2 * 3600) == 2 * 3600)
    #expect(quiet.end(after: Self.day - 1) == Self.day - 1)
  }

  @Test func norOnADayThatIs() throws {
    let quiet = try quiet("<skipDays><day>Thursday</day><day>friday</day></skipDays>")
    // 1 January 1970 was a Thursday.
    #expect(quiet.end(after: 5) == 2 * Self.day)
  }

  @Test func oneWhoNeverWantsToBeAskedIsAskedAllTheSame() throws {
    let hours = (0...23).map { "<hour>\($0)</hour>" }.joined()
    #expect(try quiet("<skipHours>\(hours)</skipHours>").end(after: 77) == 77)
  }

  @Test func theNextLookComesWhenTheQuietIsOver() throws {
    let text = rss("<skipHours><hour>1</hour></skipHours><item><guid>a</guid></item>")
    var catalog = Catalog(feed: try FeedKey("https://h.org/"))
    _ = catalog.merge(try parse(text), now: 0, fileExtension: { _ in "mp4" })
    let schedule = RefreshSchedule(base: .seconds(3600))
    #expect(schedule.wait(after: catalog.page, now: 60, jitter: 0) == .seconds(7200 - 60))
    #expect(schedule.wait(after: catalog.page, now: 7200, jitter: 0) == .seconds(3600))
  }
}
