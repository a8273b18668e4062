import TestSupport
import Testing

@testable import FeedReading

/// Feeds in the shapes of their publishers give the files that a person would want.
@Suite(.timeLimit(.minutes(1)))
struct PublisherTests {
  private static let origin = "https://media.example"
  private static let rows = PublisherFeed.all.filter { $0.refusal == nil }

  private func entries(_ row: PublisherFeed, _ choice: MediaChoice) throws -> [Entry] {
    let document = Array(row.document(at: Self.origin).utf8)
    return Array(
      try FeedParser.parse(document, base: Self.origin + row.path, choice: choice).entries)
  }

  private func expect(
    _ row: PublisherFeed, _ choice: MediaChoice = MediaChoice(),
    _ wish: (PublisherFeed.Item) -> PublisherFeed.Wish?
  ) throws {
    let entries = try entries(row, choice)
    #expect(entries.count == row.items.count)
    for (entry, item) in zip(entries, row.items) {
      switch wish(item)?.at(Self.origin) {
      case .file(let url)?:
        #expect(entry.media?.url == url && entry.skipped == nil)
      case .page(let url)?:
        let page = Media.page(url)
        #expect(entry.media?.url == url && entry.media?.type == page.type)
        #expect(entry.skipped == nil)
      case .told(let reason)?:
        #expect(entry.media == nil && entry.skipped?.contains(reason) == true, "\(entry)")
      case nil: break
      }
    }
  }

  @Test func theTableHasTheSourcesThatPeopleHave() {
    #expect(PublisherFeed.all.count >= 50)
    // An origin serves them all.
    let paths = PublisherFeed.all.map { $0.path.prefix { $0 != "?" } }
    #expect(Set(paths).count == paths.count)
    #expect(Self.rows.allSatisfy { !$0.items.isEmpty })
  }

  @Test(arguments: rows) func aPublishersFeedGivesWhatAPersonWants(row: PublisherFeed) throws {
    try expect(row) { $0.wanted }
  }

  @Test(arguments: rows) func noneIsTallerThan720Lines(row: PublisherFeed) throws {
    var choice = MediaChoice()
    choice.maxHeight = 720
    try expect(row, choice) { $0.upTo720 }
  }

  @Test(arguments: rows) func soundIsAFileWhereItIsWanted(row: PublisherFeed) throws {
    var choice = MediaChoice()
    choice.audio = true
    try expect(row, choice) { $0.withAudio }
  }

  @Test(arguments: rows) func aResolverIsAskedForThePage(row: PublisherFeed) throws {
    var choice = MediaChoice()
    choice.pages = true
    try expect(row, choice) { $0.resolved }
  }

  @Test(arguments: rows) func aPageThatTheFeedAnnouncesIsReadWithoutAResolver(
    row: PublisherFeed
  ) throws {
    var choice = MediaChoice()
    choice.announcedPages = true
    try expect(row, choice) { $0.isAnnounced ? $0.resolved : $0.wanted }
  }

  @Test(arguments: PublisherFeed.all.filter { $0.refusal != nil })
  func whatIsNoFeedSaysWhatItIs(row: PublisherFeed) throws {
    let error = try #require(throws: FeedError.self) { try entries(row, MediaChoice()) }
    #expect(error.description.contains(row.refusal ?? "-"), "\(error)")
  }
}
