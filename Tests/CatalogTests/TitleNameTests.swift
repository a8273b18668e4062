import Catalog
import FeedReading
import Glibc
import TestSupport
import Testing

/// Titles as names in `by-title`.
@Suite(.timeLimit(.minutes(2)))
struct TitleNameTests {
  private func catalog(_ titles: [String]) throws -> Catalog {
    var feed = Feed(kind: .rss)
    for (index, title) in titles.enumerated() {
      var entry = Entry(id: "\(index)", idSource: .guid)
      entry.title = title
      entry.published = 1_777_629_600
      entry.media = Media(url: "http://x/\(index).mp4")
      feed.entries.append(entry)
    }
    var catalog = Catalog(feed: try FeedKey("https://h.org/"))
    _ = catalog.merge(feed, now: 1_800_000_000, fileExtension: { _ in "mp4" })
    return catalog
  }

  @Test(arguments: [
    ("A talk", "A talk"), ("a/b", "a\u{29F8}b"), ("", "untitled"), (".", "untitled"),
    ("...", "untitled"), (".hidden.", "hidden"), ("-rf /", "_rf \u{29F8}"),
    ("a\u{0}b\nc\t d", "a b c d"), ("\u{202E}gpj.exe\u{2066}", "gpj.exe"),
    ("e\u{301}", "\u{E9}"), ("a\u{2028}b", "a b"), ("  x  ", "x"),
    ("\u{1F468}\u{200D}\u{1F469}", "\u{1F468}\u{200D}\u{1F469}"),
  ]) func aTitleIsMadeFitToBeAName(title: String, name: String) throws {
    let made = try #require(try catalog([title]).entries.first?.titleName)
    #expect(Array(made.unicodeScalars) == Array("2026-05-01 \(name).mp4".unicodeScalars))
  }

  @Test func equalTitlesAreToldApartForGood() throws {
    var catalog = try catalog(["Same", "Same", "e\u{301}", "\u{E9}"])
    let names = catalog.entries.map(\.titleName)
    #expect(Set(names).count == 4 && names[1] == "2026-05-01 Same (2).mp4")
    // The first entry goes; the second keeps its name.
    var feed = Feed(kind: .rss)
    feed.deleted = ["0"]
    feed.entries = [Entry(id: "x", idSource: .guid)]
    _ = catalog.merge(feed, now: 1_800_000_000, fileExtension: { _ in "mp4" })
    #expect(catalog.entry(titled: names[1])?.number == 2)
    #expect(catalog.entry(titled: names[0]) == nil)
    #expect(try Catalog(decoding: catalog.encoded()) == catalog)
  }

  /// Random titles by seed: a million in a full run (`FEEDFS_SOAK`), else 154,000.
  @Test(arguments: 1...8) func randomTitlesAreNamesOfTheirOwn(seed: UInt64) throws {
    var random = Random(state: seed)
    for batch in 0..<(getenv("FEEDFS_SOAK") == nil ? 2 : 13) {
      let titles = (0..<9_650).map { _ in random.title() }
      let catalog = try catalog(titles)
      if batch == 0 {
        let again = try self.catalog(titles)
        #expect(catalog.entries.map(\.titleName) == again.entries.map(\.titleName))
      }
      var seen: Set<String> = []
      for entry in catalog.entries {
        let name = entry.titleName
        let isFine =
          seen.insert(name).inserted && name.utf8.count <= Figure.titleName.bytes
          && name.unicodeScalars.allSatisfy(Self.isAllowed)
        #expect(isFine, "seed \(seed): \(Array(titles[entry.number - 1].unicodeScalars))")
      }
    }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F && scalar != "/" }
    return scalar.properties.generalCategory != .control && !scalar.properties.isBidiControl
  }

  private struct Random {
    var state: UInt64

    mutating func next(below limit: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % limit
    }

    mutating func title() -> String {
      var scalars = String.UnicodeScalarView()
      let isLong = next(below: 50) == 0
      for _ in 0..<next(below: isLong ? 300 : 8) {
        scalars.append(scalar())
      }
      return String(scalars)
    }

    private mutating func scalar() -> Unicode.Scalar {
      let ranges: [Range<UInt64>] = [
        0..<0x80, 0x20..<0x30, 0x61..<0x7B, 0x80..<0x100, 0x300..<0x370, 0x200B..<0x2070,
        0x590..<0x700, 0x1100..<0x1200, 0xAC00..<0xD7A4, 0xFB00..<0x10000, 0x1F300..<0x1F700,
        0xE0000..<0xE0080, 0..<0x110000,
      ]
      let range = ranges[Int(next(below: UInt64(ranges.count)))]
      let value = range.lowerBound + next(below: UInt64(range.count))
      return Unicode.Scalar(UInt32(value)) ?? "?"
    }
  }
}
