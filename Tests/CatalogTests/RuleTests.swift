import Catalog
import FeedReading
import TestSupport
import Testing

/// Rules decide what is listed, and never what is known.
@Suite(.timeLimit(.minutes(1)))
struct RuleTests {
  private func rules(skip: String...) throws -> EntryRules {
    var rules = EntryRules()
    rules.skip = try skip.map { try EntryPattern($0) }
    return rules
  }

  private func names(_ catalog: Catalog) -> [String] { catalog.listed.map(\.name) }

  @Test func whatIsLeftOutKeepsItsNumberAndComesBackAsItWas() throws {
    let before = try Catalog.after(feed("d c b a"))
    var catalog = before
    catalog.take(try rules(skip: "c"), at: noon)

    #expect(names(catalog) == ["0001.mp4", "0003.mp4", "0004.mp4"])
    #expect(catalog.listedCount == 3 && catalog.leftOutCount == 1 && catalog.leavesOut(2))
    #expect(catalog.entry(named: "0002.mp4") == nil)
    #expect(catalog.listedEntry(named: "0002.mp4") == nil)
    #expect(catalog.inFeedOrder.map(\.number) == [1, 3, 4] && catalog.listedOrder == [1, 3, 4])
    #expect(catalog.upNext.map(\.number) == [1, 3, 4])
    #expect(catalog.listing(after: 0).map(\.number) == [1, 3, 4])
    let title = try #require(before.entry(number: 2)).titleName
    #expect(catalog.entry(titled: title) == nil && before.entry(titled: title)?.number == 2)
    #expect(catalog.lastListed(2) == [4, 3])

    var change = CatalogChange()
    catalog.rules = EntryRules()
    catalog.sift(at: noon, into: &change)
    #expect(change.added == [2] && catalog == before)
  }

  @Test func aNewEntryThatIsLeftOutGetsANumberAllTheSame() throws {
    var catalog = try Catalog.after(feed("b a"))
    catalog.take(try rules(skip: "c"), at: noon)

    let change = catalog.read(feed("d c b a"))

    #expect(change.added == [3])
    #expect(names(catalog) == ["0001.mp4", "0002.mp4", "0003.mp4"])
    #expect(catalog.entry(number: 4)?.key == "c" && catalog.nextNumber == 5)
  }

  @Test func theSnapshotHoldsAllWhateverTheRulesAre() throws {
    var catalog = try Catalog.after(feed("c b a"))
    let saved = catalog.encoded()
    catalog.take(try rules(skip: "b"), at: noon)

    #expect(catalog.encoded() == saved)
    #expect(try Catalog(decoding: catalog.encoded()).listedCount == 3)
  }

  @Test func whatIsPinnedOrStillNeededStays() throws {
    var catalog = try Catalog.after(feed("d c b a"))
    catalog.pin(true, 2)
    catalog.take(try rules(skip: "/title of [cb]/"), at: noon)
    #expect(catalog.listedNumbers == [1, 2, 4] && catalog.sparesEntries)

    // The rules of a running mount change while number 1 is open.
    var change = CatalogChange()
    catalog.rules = try rules(skip: "/title of [dcb]/")
    catalog.sift(at: noon, into: &change)
    #expect(catalog.listedNumbers == [1, 2, 4] && change.added == [])
    #expect(catalog.leaveOut { $0 == 1 } == [])
    catalog.pin(false, 2)
    #expect(catalog.leaveOut { $0 == 1 } == [2])
    #expect(catalog.leaveOut { _ in false } == [1])
    #expect(catalog.listedNumbers == [4] && !catalog.sparesEntries)
  }

  @Test func theNewestMoveOnWithTheFeed() throws {
    func day(_ number: Int) -> Entry { video("day\(number)", published: noon - 100_000 + number) }
    var rules = EntryRules()
    rules.newest = 2
    var catalog = try Catalog.after(feed([day(2), day(1)]))
    catalog.take(rules, at: noon)
    #expect(catalog.listedNumbers == [1, 2])

    let change = catalog.read(feed([day(4), day(3), day(2), day(1)]))
    #expect(change.added == [3, 4])
    #expect(catalog.leaveOut { _ in false } == [1, 2])
    #expect(names(catalog) == ["0003.mp4", "0004.mp4"])
  }

  @Test func anAgeGoesOnWhileTheFeedDoesNotChange() throws {
    var rules = EntryRules()
    rules.since = RuleStart(parsing: "2d")
    var catalog = try Catalog.after(
      feed([video("b", published: noon), video("a", published: noon - 86_400)]))
    catalog.take(rules, at: noon)
    #expect(catalog.listedNumbers == [1, 2])

    var change = CatalogChange()
    catalog.sift(at: noon + 2 * 86_400 - 1, into: &change)
    #expect(catalog.leaveOut { _ in false } == [2])
    catalog.sift(at: noon, into: &change)
    #expect(change.added == [2] && catalog.listedNumbers == [1, 2])
  }

  @Test func whatWasFoundLiveIsLeftOutForATime() throws {
    let before = try Catalog.after(feed("c b a"))
    var rules = EntryRules()
    rules.live = false
    var catalog = before
    catalog.take(rules, at: noon)
    #expect(catalog.listedNumbers == [1, 2, 3])
    catalog.foundBroadcast(2, at: noon)
    catalog.take(rules, at: noon)
    #expect(catalog.listedNumbers == [1, 3])

    let memory = Int(Figure.liveRule.time.components.seconds)
    // The snapshot holds it, so a restart asks nothing.
    var later = try Catalog(decoding: catalog.encoded())
    later.take(rules, at: noon + memory - 1)
    #expect(later.listedNumbers == [1, 3])
    later.take(rules, at: noon + memory)
    #expect(later.listedNumbers == [1, 2, 3])
    // A clock that was set back makes it no longer.
    later.take(rules, at: noon - 1)
    #expect(later.listedNumbers == [1, 2, 3])

    var change = CatalogChange()
    catalog.rules = EntryRules()
    catalog.sift(at: noon, into: &change)
    #expect(change.added == [2] && names(catalog) == names(before))
  }

  @Test func aStreamThatHasBecomeAFilmIsListedAtOnce() throws {
    var rules = EntryRules()
    rules.live = false
    var catalog = try Catalog.after(feed("c b a"))
    catalog.rules = rules
    for number in 1...3 { catalog.foundBroadcast(number, at: noon) }
    catalog.take(rules, at: noon)
    #expect(catalog.listedNumbers == [])

    // The page tells of a film, or the feed names another address.
    catalog.learn(LearnedFacts(PageMedia()), of: 1)
    var moved = video("b")
    moved.media?.url = "https://example.org/ended.mp4"
    _ = catalog.read(feed([video("c"), moved, video("a")]))
    catalog.take(rules, at: noon)
    #expect(catalog.listedNumbers == [1, 2])
  }

  @Test func aRuleMayLeaveOutEverything() throws {
    let before = try Catalog.after(feed("b a"))
    var catalog = before
    catalog.take(try rules(skip: "/./"), at: noon)
    #expect(catalog.listedCount == 0 && catalog.leftOutCount == 2 && catalog.lastListed(3) == [])
    #expect(Playlist.m3u8(of: catalog).joined.count < 100)

    // Entries that come meanwhile are there when the rule is gone.
    let page = catalog.read(feed("c"))
    #expect(page.added == [] && catalog.nextNumber == 4)
    var change = CatalogChange()
    catalog.rules = EntryRules()
    catalog.sift(at: noon, into: &change)
    #expect(change.added.sorted() == catalog.listedNumbers)
    #expect(catalog.entry(number: 1)?.inode == before.entry(number: 1)?.inode)
  }

  @Test func theTableNamesTheRule() throws {
    let page = feed("c b a")
    let sifted = SiftedFeed(page, by: try rules(skip: "b"), now: noon)

    let all = FeedReport.table(of: page, sifted: sifted, all: true)
    #expect(all.contains("0002.mp4") && all.contains("Title of b (left out by skip \"b\")"))
    let some = FeedReport.table(of: page, sifted: sifted)
    #expect(some.contains("0003.mp4") && !some.contains("0002.mp4"))
    let json = FeedReport.json(of: page, sifted: sifted, all: true)
    #expect(json.contains(#"left out by skip \"b\""#) && json.contains(#""option" : "skip""#))
  }
}
