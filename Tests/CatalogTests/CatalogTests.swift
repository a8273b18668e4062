import Catalog
import FeedReading
import Testing

@Suite(.timeLimit(.minutes(1))) struct CatalogTests {
  @Test func anEntryIsFoundByNumberNameAndInode() throws {
    let catalog = try Catalog.after(feed("a b"))

    #expect(catalog.entry(number: 2)?.key == "b")
    #expect(catalog.entry(named: "0002.mp4")?.key == "b")
    #expect(catalog.entry(inode: 17)?.key == "b")
  }

  @Test(arguments: [
    "", ".", "0003.mp4", "0002.webm", "2.mp4", "00002.mp4", "+002.mp4", "-002.mp4", "0002",
    "0000.mp4", "0002.mp4 ", "0002.MP4", "99999999999999999999.mp4", "-9223372036854775808.mp4",
    "playlist.m3u8", ".feedfs",
  ])
  func noOtherNameFindsAnEntry(name: String) throws {
    #expect(try Catalog.after(feed("a b")).entry(named: name) == nil)
  }

  @Test(arguments: [Int.min, -1, 0, 3, Int.max])
  func noOtherNumberFindsAnEntry(number: Int) throws {
    #expect(try Catalog.after(feed("a b")).entry(number: number) == nil)
  }

  @Test func theReservedInodesAreNoEntrys() throws {
    let catalog = try Catalog.after(feed("a b"))
    let reserved = [
      ReservedInode.root, ReservedInode.control, ReservedInode.status, ReservedInode.playlist,
      ReservedInode.titles,
    ]

    #expect(reserved == [1, 2, 3, 4, 5])
    #expect((0..<16).allSatisfy { catalog.entry(inode: $0) == nil })
    #expect(catalog.entries.map(\.inode) == [16, 17])
  }

  @Test func whatIsRemovedIsNotListedAndStillKnown() throws {
    let catalog = try Catalog.after(feed("a b c"), feed("a c"))

    #expect(catalog.listed.map(\.key) == ["a", "c"])
    #expect(catalog.inFeedOrder.map(\.key) == ["a", "c"])
    #expect(catalog.entry(named: "0002.mp4") == nil)
    #expect(catalog.entry(number: 2)?.isRemoved == true)
  }

  @Test func aNewVersionHasANewInodeAndNothingIsKnownOfIt() throws {
    var catalog = try Catalog.after(feed("a b"))
    catalog.know(KnownBody(length: 9, checkedAt: noon, freshFor: 60), of: 1)
    #expect(catalog.entry(number: 1)?.known?.length == 9)

    #expect(catalog.markStale(1) == 18)

    #expect(catalog.entry(number: 1)?.known == nil)
    #expect(catalog.entry(number: 1)?.outdated?.length == 9)
    #expect(catalog.entry(inode: 18)?.number == 1)
    #expect(catalog.entry(inode: 16) == nil)
    #expect(catalog.entry(number: 1)?.name == "0001.mp4")
    expectInvariants(of: catalog)
  }

  @Test func allVersionsAreRememberedThatTheOriginHasReplacedUntilItHasThemAgain() throws {
    var catalog = try Catalog.after(feed("a"))
    for tag in ["1", "2", "3"] {
      catalog.know(
        KnownBody(length: 9, entityTag: tag, checkedAt: noon, freshFor: 60), of: 1)
      _ = catalog.markStale(1)
    }
    // No version was proved since the last call, so this one forgets none.
    _ = catalog.markStale(1)
    #expect(catalog.entry(number: 1)?.replaced.map(\.entityTag) == ["3", "2", "1"])
    #expect(try Catalog(decoding: catalog.encoded()) == catalog)

    catalog.know(KnownBody(length: 9, entityTag: "2", checkedAt: noon, freshFor: 5), of: 1)
    #expect(catalog.entry(number: 1)?.replaced.map(\.entityTag) == ["3", "1"])
  }

  @Test func aVersionThatOnlyTheCacheKnewIsRememberedAsReplaced() throws {
    var catalog = try Catalog.after(feed("a"))
    let cached = KnownBody(length: 9, entityTag: "1", checkedAt: 0, freshFor: 0)
    _ = catalog.markStale(1, showing: cached)
    #expect(catalog.entry(number: 1)?.replaced == [cached])
    #expect(catalog.entry(number: 1)?.known == nil)

    let known = KnownBody(length: 9, entityTag: "2", checkedAt: noon, freshFor: 60)
    catalog.know(known, of: 1)
    _ = catalog.markStale(1, showing: cached)
    #expect(catalog.entry(number: 1)?.replaced == [known, cached])
  }

  @Test func noInodeIsUsedTwice() throws {
    var catalog = try Catalog.after(feed("a"))

    #expect(catalog.markStale(1) == 17)
    catalog.read(feed("b a"))
    #expect(catalog.markStale(1) == 19)

    #expect(catalog.entries.map(\.inode) == [19, 18])
  }

  @Test(
    arguments: [
      (checkedAt: 0, freshFor: 60, now: 0, isStale: false),
      (0, 60, 59, false), (0, 60, 60, true), (0, 0, 0, true), (0, -1, 0, true),
      (100, 60, 99, true), (Int.max, Int.max, 0, true), (Int.min, Int.max, Int.max, true),
    ])
  func anAnswerHoldsForItsTimeAndNeverFromTheFuture(
    checkedAt: Int, freshFor: Int, now: Int, isStale: Bool
  ) {
    let body = KnownBody(length: 1, checkedAt: checkedAt, freshFor: freshFor)

    #expect(body.isStale(at: now) == isStale)
  }

  @Test(
    arguments: [
      (published: Int?.none, modified: noon), (noon - 7, noon - 7), (-5, -5),
      (noon + 86_400, noon + 86_400), (noon + 86_401, noon), (Int.max, noon),
    ])
  func aDateMoreThanADayAheadCountsAsNone(published: Int?, modified: Int) throws {
    let catalog = try Catalog.after(feed([video("a", published: published)]))

    #expect(catalog.entry(number: 1)?.modified == modified)
  }

  @Test(
    arguments: [
      (length: Int?.none, duration: Double?.none, claimed: Int?.none), (0, nil, nil),
      (-1, nil, nil), (16_383, nil, nil), (16_384, nil, 16_384), (20_000, 20_000, nil),
      (20_000, 60, 20_000),
    ])
  func aLengthThatIsAPlaceholderIsNoClaim(length: Int?, duration: Double?, claimed: Int?) throws {
    var entry = video("a", length: length)
    entry.media?.duration = duration

    #expect(try Catalog.after(feed([entry])).entry(number: 1)?.claimedLength == claimed)
  }
}
