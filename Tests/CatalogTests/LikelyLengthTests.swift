import FeedReading
import Testing

@testable import Catalog

/// The length that is told of a file until its origin has proved one.
@Suite(.timeLimit(.minutes(1))) struct LikelyLengthTests {
  private func entry(
    length: Int? = nil, rounded: Int? = nil, duration: Double? = nil, bitrate: Double? = nil,
    type: String? = nil
  ) throws -> CatalogEntry {
    var draft = video("a", length: length)
    draft.media?.roundedLength = rounded
    draft.media?.duration = duration
    draft.media?.bitrate = bitrate
    if let type { draft.media?.type = type }
    let catalog = try Catalog.after(feed([draft]))
    let entry = try #require(catalog.entry(number: 1))
    #expect(catalog.listedEntry(inode: entry.inode)?.likelyLength == entry.likelyLength)
    #expect(catalog.unsized == (entry.isUnsized ? [1] : []))
    let decoded = try Catalog(decoding: catalog.encoded())
    #expect(decoded.entry(number: 1) == entry)
    return entry
  }

  @Test func whatIsSaidExactlyComesFirstAndIsNotAskedFor() throws {
    let entry = try entry(length: 90_000, rounded: 80_000, duration: 60)
    #expect(entry.likelyLength == 90_000 && !entry.isUnsized)
  }

  @Test func aRoundedLengthIsAnEstimateThatIsAskedFor() throws {
    let entry = try entry(rounded: 80_000, duration: 600)
    #expect(entry.likelyLength == 80_000 && entry.claimedLength == nil && entry.isUnsized)
  }

  @Test(
    arguments: [
      (60, 800, nil, 6_000_000), (60, nil, nil, 1_920_000), (60, nil, "audio/mpeg", 480_000),
      (.infinity, 800, nil, nil), (1e9, 1e300, nil, 1_000_000_000_000), (0.001, 0.001, nil, 1),
    ] as [(Double, Double?, String?, Int?)])
  func elseTheDurationTellsItAtTheClaimedRateOrALowOne(
    duration: Double, bitrate: Double?, type: String?, length: Int?
  ) throws {
    let entry = try entry(duration: duration, bitrate: bitrate, type: type)
    #expect(entry.likelyLength == length && entry.isUnsized)
  }

  @Test func elseHalfOfTheMedianOfTheFeedTellsIt() throws {
    #expect(try Catalog.after(feed([video("a", length: nil)])).typicalLength == 65_536)
    let lengths = [nil, 20_000, 1_000_000, 40_000_000, 90_000_000, nil, 50_000_000] as [Int?]
    let entries = lengths.enumerated().map { video("\($0)", length: $1) }
    var catalog = try Catalog.after(feed(entries))
    #expect(catalog.typicalLength == 20_000_000)
    let nameless = try #require(catalog.unsized.first)
    catalog.know(KnownBody(length: 45_000_000, checkedAt: 0, freshFor: 0), of: nameless)
    #expect(catalog.typicalLength == 22_500_000, "a proved one counts too")
  }

  /// No reader has had a byte of a measured file. So its candidate is no choice, and another address is
  /// measured anew.
  @Test func aMeasureHoldsForItsAddressAlone() throws {
    var body = KnownBody(length: 70_000, checkedAt: 0, freshFor: 0)
    body.isMeasured = true
    var catalog = try Catalog.after(feed([video("a", url: "https://h.org/a.mp4?token=1")]))
    catalog.know(body, of: 1)
    #expect(try Catalog(decoding: catalog.encoded()) == catalog)
    catalog.read(feed([video("a", url: "https://h.org/a.mp4?token=2")]))
    #expect(catalog.entry(number: 1)?.known == body)
    #expect(catalog.listedEntry(named: "0001.mp4")?.isMeasured == true)
    catalog.read(feed([video("a", url: "https://h.org/b.mp4")]))
    #expect(catalog.entry(number: 1)?.known == nil && catalog.unsized == [1])
  }

  /// A page is not resolved for its size, and no layout is made for it.
  @Test func pagesAndStreamsAreNotAskedFor() throws {
    var page = video("a", length: nil)
    page.media = Media(url: "https://h.org/a")
    page.media?.type = "text/html"
    var stream = video("b", length: nil)
    stream.media = Media(url: "https://h.org/b.m3u8")
    stream.media?.type = "application/vnd.apple.mpegurl"
    var catalog = try Catalog.after(feed([page, stream, video("c", length: nil)]))
    #expect(catalog.unsized.compactMap { catalog.entry(number: $0)?.key } == ["c"])
    let number = try #require(catalog.unsized.first)
    catalog.know(KnownBody(length: 5, checkedAt: 0, freshFor: 0), of: number)
    #expect(catalog.unsized == [])
    _ = catalog.markStale(number)
    #expect(catalog.unsized == [number], "another version has another length")
  }
}
