import Testing

@testable import FeedMount
@testable import Catalog
@testable import FeedReading

/// A change made while a page is merged elsewhere is in the result, too.
@Suite(.timeLimit(.minutes(1)))
struct CatalogStoreTests {
  private func store() throws -> CatalogStore {
    var catalog = Catalog(feed: try FeedKey("http://o/feed"))
    try Self.merge(["a", "b"], into: &catalog)
    return CatalogStore(catalog)
  }

  private static func merge(_ names: [String], into catalog: inout Catalog) throws {
    let items = names.map {
      "<item><guid>\($0)</guid><title>\($0)</title><enclosure url='http://o/\($0).mp4'/></item>"
    }
    let text = "<rss version='2.0'><channel>\(items.joined())</channel></rss>"
    let page = try FeedParser.parse(Array(text.utf8), base: "http://o/feed")
    _ = catalog.merge(
      page, answer: PageFacts(), now: 1, keep: { _ in true },
      fileExtension: MediaType.fileExtension(of:))
  }

  @Test func aPinDuringAMergeStays() throws {
    var store = try store()
    var merged = store.beginMerge()
    try Self.merge(["a", "b", "c"], into: &merged)
    store.edit { $0.pin(true, 1) }

    let isTaken = store.endMerge(&merged)

    #expect(isTaken)
    #expect(store.current.entries.count == 3)
    #expect(store.current.pinned.map(\.number) == [1])
  }

  @Test func aPageIsMergedAgainIfAVersionWasReplacedMeanwhile() throws {
    var store = try store()
    var merged = store.beginMerge()
    try Self.merge(["a", "b", "c"], into: &merged)
    store.edit(endingMerge: true) { _ = $0.markStale(1) }

    let inode = store.current.entry(number: 1)?.inode

    let isTaken = store.endMerge(&merged)

    #expect(!isTaken)
    #expect(store.current.entries.count == 2)
    #expect(store.current.entry(number: 1)?.inode == inode)
  }

  @Test func eachChangeIsAnEdition() throws {
    var store = try store()
    let before = store.edition
    store.edit { $0.pin(true, 1) }
    let listed = store.list(before: 3)

    #expect(store.edition == before + 1, "that entries are listed is in no snapshot")
    #expect(listed == nil)
  }
}
