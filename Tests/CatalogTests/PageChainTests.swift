import Catalog
import FeedReading
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PageChainTests {
  private func page(_ number: Int, next: Int?, scheme: String = "https") -> PageChain.Page {
    PageChain.Page(
      url: "\(scheme)://h.org/\(number)", next: next.map { ["https://h.org/\($0)"] } ?? [],
      facts: PageFacts())
  }

  /// A chain of page 1 and all pages up to `last`, each of which had news.
  private func chain(to last: Int) -> PageChain {
    var chain = PageChain()
    chain.refreshed([page(1, next: 2)], changed: true)
    for number in 2..<(last + 1) { chain.read(page(number, next: number + 1), news: 1) }
    return chain
  }

  @Test func eachPageLeadsToTheNext() {
    var chain = chain(to: 1)
    #expect(chain.following == "https://h.org/2")
    chain.read(page(2, next: 3), news: 5)
    #expect(chain.following == "https://h.org/3" && chain.ended == nil)
    chain.read(page(3, next: nil), news: 5)
    #expect(chain.following == nil && chain.ended == .last && chain.count == 3)
  }

  @Test func aPageThatWasReadIsNotReadAgain() {
    var chain = chain(to: 2)
    chain.read(page(3, next: 1), news: 5)
    #expect(chain.ended == .circle && chain.following == nil)
  }

  @Test func aPageWithNothingNewIsTheEnd() {
    var chain = chain(to: 2)
    chain.read(page(3, next: 4), news: 0)
    #expect(chain.ended == .nothingNew)
  }

  @Test func aFeedHasNoMorePagesThanAreRead() {
    #expect(chain(to: Figure.pages.count - 1).ended == nil)
    let full = chain(to: Figure.pages.count)
    #expect(full.ended == .full)
    #expect(full.endedBecause == "feedfs reads no more than \(Figure.pages.count) pages of a feed")
  }

  @Test func aFullCatalogIsNotTakenForTheLimitOfPages() {
    var chain = chain(to: 3)
    #expect(chain.endedBecause == nil)
    chain.full()
    #expect(chain.endedBecause == "feedfs takes no more entries of this feed")
  }

  @Test func aMissingPageIsTheEnd() {
    var chain = chain(to: 2)
    chain.missing()
    #expect(chain.ended == .missing && chain.following == nil)
  }

  @Test(arguments: ["ftp://h.org/2", "file:///etc/2", "http://h.org/2", "nonsense", ""])
  func whatMayNotBeAskedForIsNot(next: String) {
    var chain = PageChain()
    chain.refreshed(
      [PageChain.Page(url: "https://h.org/1", next: [next], facts: PageFacts())], changed: true)
    #expect(chain.following == nil && chain.ended == .circle)
  }

  /// Entries of the last page may be on the next one now, or the other way round.
  @Test func afterTheFeedHasShiftedTheLastPageIsReadAgainFirst() {
    var chain = chain(to: 3)
    chain.refreshed([page(1, next: 2)], changed: true)
    #expect(chain.following == "https://h.org/3")
    chain.read(page(3, next: 4), news: 0)
    #expect(chain.following == "https://h.org/4")
    // All its entries have moved down from the page before.
    chain.read(page(4, next: 5), news: 0)
    #expect(chain.following == "https://h.org/5" && chain.ended == nil)
    chain.read(page(5, next: 6), news: 2)
    chain.read(page(6, next: 7), news: 0)
    #expect(chain.ended == .nothingNew)
  }

  @Test func aShiftOfPagesThatNeverEndsHasAnEnd() {
    var chain = chain(to: 3)
    chain.refreshed([page(1, next: 2)], changed: true)
    chain.read(page(3, next: 4), news: 0)
    var number = 4
    while chain.ended == nil, number < 100 {
      chain.read(page(number, next: number + 1), news: 0)
      number += 1
    }
    #expect(number < 20)
  }

  @Test func aRefreshReadsAsFarAsWasRead() {
    let chain = chain(to: 3)
    var window = [page(1, next: 2)]
    #expect(chain.following(window) == "https://h.org/2")
    window.append(page(2, next: 3))
    window.append(page(3, next: 4))
    #expect(chain.following(window) == nil)
    #expect(chain.refreshed.map(\.url) == ["https://h.org/2", "https://h.org/3"])
  }

  @Test func wordPressPagesAreGuessedOnlyWhereThatIsWanted() {
    var chain = PageChain()
    let first = PageChain.Page(url: "https://h.org/feed?a=1", next: [], facts: PageFacts())
    chain.refreshed([first], changed: true)
    #expect(chain.following == nil && chain.ended == .last)
    chain = PageChain()
    chain.guessesPaged = true
    chain.refreshed([first], changed: true)
    #expect(chain.following == "https://h.org/feed?a=1&paged=2")
    chain.read(
      PageChain.Page(url: "https://h.org/feed?a=1&paged=2", next: [], facts: PageFacts()), news: 1)
    #expect(chain.following == "https://h.org/feed?a=1&paged=3")
  }

  @Test(arguments: [
    ("<2>; rel=\"next\"", ["https://h.org/dir/2"]),
    (
      "</a,b>; title=\"x, y\"; rel=next, <3>;rel=\"prev next\"",
      ["https://h.org/a,b", "https://h.org/dir/3"]
    ),
    ("<old>; rel=prev-archive", ["https://h.org/dir/old"]), ("<x>; rel=\"self\"", []),
    ("<ftp://h/x>; rel=next", []), ("garbage", []), ("<", []), ("<a>;rel", []),
  ]) func theLinkFieldNamesPages(field: String, pages: [String]) {
    #expect(LinkField.following(field, base: "https://h.org/dir/1") == pages)
  }

  private func feed(_ ids: [Int]) throws -> Feed {
    try parse(
      rss(
        ids.map { id in
          "<item><guid>\(id)</guid><enclosure url='http://x/\(id).mp4' type='video/mp4'/></item>"
        }.joined()))
  }

  /// Pages are read one after the other: an entry that moves meanwhile may be on neither.
  @Test func whatIsMissingBetweenTwoPagesIsNotGone() throws {
    var catalog = Catalog(feed: try FeedKey("https://h.org/"))
    _ = catalog.merge(
      try feed([1, 2, 3]).followed(by: feed([4, 5, 6])), now: 0, fileExtension: { _ in "mp4" })
    let seam = try feed([1, 2, 3]).followed(by: feed([5, 6, 7]))
    #expect(catalog.merge(seam, now: 1, fileExtension: { _ in "mp4" }).removed.isEmpty)
    #expect(catalog.inFeedOrder.map(\.key).contains("4"))
  }

  /// A page that could not be fetched, of a feed without order.
  @Test func whatStoodOnAPageThatWasNotReadIsNotGone() throws {
    var catalog = Catalog(feed: try FeedKey("https://h.org/"))
    _ = catalog.merge(
      try feed([1, 2, 3, 4]).followed(by: feed([5, 6, 7])), now: 0, fileExtension: { _ in "mp4" })
    var first = try feed([1, 2, 3, 4, 7])
    first.isPartial = true
    first.complete = true
    #expect(catalog.merge(first, now: 1, fileExtension: { _ in "mp4" }).removed.isEmpty)
  }

  @Test func anArchiveDoesNotBringBackWhatWasDeleted() throws {
    var newest = try feed([1, 2])
    newest.deleted = ["3"]
    #expect(try newest.followed(by: feed([2, 3, 4])).entries.map(\.id) == ["1", "2", "4"])
  }

  @Test func aFurtherPageTakesNothingAway() throws {
    var catalog = Catalog(feed: try FeedKey("https://h.org/"))
    _ = catalog.merge(try feed([1, 2, 3]), now: 0, fileExtension: { _ in "mp4" })
    let change = catalog.extend(with: try feed([3, 4, 5]), now: 1, fileExtension: { _ in "mp4" })
    #expect(change.added == [4, 5] && change.removed.isEmpty)
    #expect(catalog.inFeedOrder.map(\.key) == ["1", "2", "3", "4", "5"])
    // In one window, a missing entry is gone.
    let window = try feed([0, 1, 2]).followed(by: feed([2, 3, 5]))
    let gone = catalog.merge(window, now: 3, fileExtension: { _ in "mp4" })
    #expect(gone.removed == [4])
    // The first page alone says nothing about later entries.
    let first = catalog.merge(try feed([-1, 0, 1]), now: 3, fileExtension: { _ in "mp4" })
    #expect(first.removed.isEmpty)
    #expect(catalog.inFeedOrder.map(\.key) == ["-1", "0", "1", "2", "3", "5"])
  }

  /// RFC 6721: an entry that a page declares deleted is gone, on whichever page it was.
  @Test func aTombstoneHoldsOnAFurtherPageToo() throws {
    func feed(_ ids: [Int], gone: [Int] = []) throws -> Feed {
      let entries = ids.map {
        "<entry><id>\($0)</id><link rel='enclosure' href='http://x/\($0).mp4'/></entry>"
      }
      let tombstones = gone.map {
        "<at:deleted-entry xmlns:at='http://purl.org/atompub/tombstones/1.0' ref='\($0)'/>"
      }
      return try parse(atom((entries + tombstones).joined()))
    }
    var catalog = Catalog(feed: try FeedKey("https://h.org/"))
    _ = catalog.merge(try feed([1, 2, 3]), now: 0, fileExtension: { _ in "mp4" })
    _ = catalog.extend(
      with: try feed([3, 4], gone: [2, 3, 9]), now: 1, fileExtension: { _ in "mp4" })
    #expect(catalog.dropGone { _ in false } == [2])
    let window = try feed([1]).followed(by: feed([3, 4], gone: [1, 4, 3]))
    #expect(window.deleted == ["1", "4", "3"])
    let change = catalog.merge(window, now: 2, fileExtension: { _ in "mp4" })
    #expect(change.removed.isEmpty, "what is listed is there, whatever else is said of it")
  }
}
