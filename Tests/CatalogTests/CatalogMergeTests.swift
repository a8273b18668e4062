import Catalog
import FeedReading
import Testing

@Suite(.timeLimit(.minutes(1))) struct CatalogMergeTests {
  @Test func theFirstPageNumbersItsEntriesInItsOrder() throws {
    var catalog = try Catalog.empty()

    let change = catalog.read(feed("c b a"))

    #expect(change.added == [1, 2, 3])
    #expect(catalog.numbering == "c b a")
    #expect(catalog.entries.map(\.name) == ["0001.mp4", "0002.mp4", "0003.mp4"])
    #expect(catalog.title == "A feed")
  }

  @Test func whatAppearsAtTheTopLaterGetsTheNextNumberAndTheFirstPlace() throws {
    var catalog = try Catalog.after(feed("b a"))

    let change = catalog.read(feed("d c b a"))

    #expect(change.added == [3, 4])
    #expect(catalog.numbering == "b a d c")
    #expect(catalog.ordering == "d c b a")
  }

  @Test func whatFellOffTheEndStaysBehindTheRest() throws {
    let catalog = try Catalog.after(feed("c b a"), feed("d c b"), feed("e d c"), feed("g f"))

    #expect(catalog.numbering == "c b a d e g f")
    #expect(catalog.ordering == "g f e d c b a")
  }

  @Test func whatFellOffTheTopOfAnOldestFirstFeedStaysBeforeTheRest() throws {
    let catalog = try Catalog.after(feed("a b c"), feed("b c d"), feed("c d e"))

    #expect(catalog.ordering == "a b c d e")
  }

  @Test func whatIsSkippedHasNoNumber() throws {
    var page = feed("c b a")
    page.entries[1].media = nil
    page.entries[1].skipped = "no video"

    let catalog = try Catalog.after(page)

    #expect(catalog.numbering == "c a")
  }

  @Test func anEntryThatCanNoLongerBePlayedKeepsItsAddress() throws {
    var later = feed("c b a")
    later.entries[1].media = nil
    later.entries[1].title = "New"

    let catalog = try Catalog.after(feed("c b a"), later)

    #expect(catalog.numbering == "c b a")
    #expect(catalog.entry(number: 2)?.title == "New")
    #expect(catalog.entry(number: 2)?.media.url == "https://media.example/b.mp4")
  }

  @Test func theNewestWordsOfTheFeedHold() throws {
    var catalog = try Catalog.after(feed([video("b"), video("a", title: "Old", published: 5)]))
    var newest = video("a", url: "https://cdn.example/x?token=2", title: "New", published: 6)
    newest.link = "https://example.org/a"
    newest.subtitles = [Subtitle(url: "https://media.example/a.vtt", type: nil, lang: "de")]
    newest.alternates = [Media(url: "https://media.example/a.webm")]

    let change = catalog.read(feed([video("b"), newest]))

    let entry = try #require(catalog.entry(number: 2))
    #expect(change.changed == [2] && change.added.isEmpty && change.removed.isEmpty)
    #expect(entry.media.url == "https://cdn.example/x?token=2")
    #expect(entry.title == "New" && entry.published == 6 && entry.firstSeen == noon)
    #expect(entry.link == newest.link && entry.subtitles == newest.subtitles)
    #expect(entry.alternates == newest.alternates)
    #expect(entry.name == "0002.mp4" && entry.inode == 17)
  }

  @Test(arguments: [true, false])
  func whatWasProvedIsPlayedOnThoughTheFeedLikesAnotherBetter(isProved: Bool) throws {
    var before = video("a", url: "https://media.example/large.mp4?token=1")
    before.alternates = [Media(url: "https://media.example/small.mp4")]
    var after = video("a", url: "https://media.example/small.mp4")
    after.alternates = [Media(url: "https://media.example/large.mp4?token=2")]
    var catalog = try Catalog.after(feed([before]))
    if isProved { catalog.know(KnownBody(length: 5, checkedAt: noon, freshFor: 60), of: 1) }

    catalog.read(feed([after]))

    let played = isProved ? "large.mp4?token=2" : "small.mp4"
    #expect(catalog.entry(number: 1)?.source.url == "https://media.example/\(played)")
    catalog.read(feed([before]))
    #expect(catalog.entry(number: 1)?.source.url == "https://media.example/large.mp4?token=1")
  }

  @Test func theSamePageChangesNothing() throws {
    var catalog = try Catalog.after(feed("c b a"))
    let before = catalog

    let change = catalog.read(feed("c b a"), now: noon + 60)

    #expect(change.isEmpty && change.ignoredBecause == nil)
    #expect(catalog.entries == before.entries && catalog.order == before.order)
  }

  @Test func aNewExtensionNeverRenamesAFile() throws {
    var catalog = try Catalog.after(feed("a"))

    _ = catalog.merge(feed("a"), now: noon) { _ in "webm" }

    #expect(catalog.entry(number: 1)?.name == "0001.mp4")
  }

  @Test func anEmptyFirstPageIsAFeedWithNothingInIt() throws {
    var catalog = try Catalog.empty()

    let change = catalog.read(feed([], title: "Soon"))

    #expect(change.isEmpty && change.ignoredBecause == nil)
    #expect(catalog.title == "Soon")
  }

  @Test func thePagesValidatorsAreKeptOnlyIfThePageIsTaken() throws {
    var catalog = try Catalog.empty()
    var page = feed("b a")
    page.ttl = 45
    let answer = PageFacts(entityTag: "\"1\"", lastModified: "Mon", maxAge: 600)
    _ = catalog.merge(page, answer: answer, now: noon) { _ in "mp4" }

    let error = PageFacts(entityTag: "\"2\"")
    let change = catalog.merge(feed([]), answer: error, now: noon + 9) { _ in "mp4" }

    #expect(change.ignoredBecause != nil)
    #expect(catalog.page.entityTag == "\"1\"" && catalog.page.lastModified == "Mon")
    #expect(catalog.page.maxAge == 600 && catalog.page.ttl == 45)
    #expect(catalog.page.checkedAt == noon)
  }

  @Test func aConfirmedPageKeepsItsValidators() throws {
    var catalog = try Catalog.empty()
    _ = catalog.merge(feed("a"), answer: PageFacts(entityTag: "\"1\"", maxAge: 600), now: noon) {
      _ in "mp4"
    }

    catalog.confirmPage(at: noon + 60, maxAge: nil)

    #expect(catalog.page.entityTag == "\"1\"")
    #expect(catalog.page.checkedAt == noon + 60)
    #expect(catalog.page.maxAge == nil)
  }

  @Test func tenThousandEntriesAreTakenAndLaterFound() throws {
    let entries = (0..<10_000).map { video("e\($0)", published: noon - $0, length: 20_000 + $0) }
    var catalog = try Catalog.after(feed(entries))
    var moved = entries
    for index in moved.indices { moved[index].id = "new-\(index)" }

    let change = catalog.read(feed(moved))

    #expect(change.added.isEmpty && change.removed.isEmpty)
    #expect(catalog.entry(named: "10000.mp4")?.key == "e9999")
    #expect(catalog.entry(number: 10_000)?.alias == "new-9999")
  }

  @Test func aFeedWithNewIdsAtEachVisitEndsSomewhere() throws {
    // Invalid addresses cost the least time.
    let page = feed((0..<100_001).map { video("\($0)", url: "\($0)", title: "") })
    var catalog = try Catalog.empty()

    let change = catalog.read(page)

    #expect(catalog.entries.count == 100_000)
    #expect(change.added.count == 100_000)
    #expect(change.ignoredBecause?.contains("100000") == true)
  }
}
