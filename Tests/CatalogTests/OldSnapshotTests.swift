import FoundationEssentials
import Testing

@testable import Catalog
@testable import FeedReading

/// This version reads snapshots of the previous version, and the reverse.
@Suite(.timeLimit(.minutes(1))) struct OldSnapshotTests {
  /// A snapshot by a feedfs that encoded the whole catalog at once: an entry with another id, an
  /// entry replaced three times, a pinned one that its feed has dropped, titles with characters
  /// that JSON escapes.
  private static func bytes(of name: String = "catalog-format-1.json") throws -> [UInt8] {
    let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    return Array(try Data(contentsOf: URL(filePath: "/\(tests)/Fixtures/\(name)")))
  }

  @Test func aCatalogOfTheVersionBeforeIsReadWithAllThatItKnows() throws {
    let catalog = try Catalog(decoding: Self.bytes())

    expectInvariants(of: catalog)
    #expect(catalog.title == "Old \u{201C}feed\u{201D}" && catalog.nextInode == 24)
    #expect(catalog.entries.map(\.key) == (["5", "4", "3", "2", "1", "6"].map { "guid-\($0)" }))
    #expect(catalog.inFeedOrder.map(\.number) == [6, 1, 2, 3, 4, 5])
    let replaced = try #require(catalog.entry(number: 1))
    #expect(replaced.alias == "other-5" && replaced.inode == 22 && replaced.known == nil)
    #expect(replaced.replaced.map(\.length) == [12288, 4096])
    let rich = try #require(catalog.entry(number: 2))
    #expect(rich.title == "Zw\u{F6}lf / 12 \"quoted\" back\\slash <tag> \u{1F980}")
    #expect(rich.alternates.map(\.bitrate) == [nil, 1234.5] && rich.media.duration == 3723)
    #expect(rich.subtitles.first?.lang == "de" && rich.season == 2 && rich.episode == 5)
    let pinned = try #require(catalog.entry(number: 3))
    #expect(pinned.isPinned && pinned.presence == .kept && pinned.known?.length == 4096)
    #expect(catalog.pinned.map(\.number) == [3] && catalog.kept.map(\.number) == [3])
  }

  @Test func whatWasReadIsWrittenAsTheVersionBeforeWroteIt() throws {
    let bytes = try Self.bytes()

    #expect(try Catalog(decoding: bytes).encoded() == bytes)
  }

  /// Commit a9c4781 wrote the catalog after a life with three pages, drops, a pin, another title,
  /// another id and another version.
  @Test func theCatalogOfTheEarlierVersionIsReadAndWrittenUnchanged() throws {
    let bytes = try Self.bytes(of: "earlier-version/catalog.json")

    let catalog = try Catalog(decoding: bytes)

    expectInvariants(of: catalog)
    #expect(catalog.inFeedOrder.map(\.number) == [17, 1, 2, 3] + Array(5...16))
    #expect(catalog.nextInode == 34 && catalog.pinned.map(\.number) == [3])
    let dropped = try #require(catalog.entry(number: 4))
    #expect(dropped.presence == .removed && dropped.inode == 19)
    let changed = try #require(catalog.entry(number: 11))
    #expect(changed.inode == 33 && changed.known?.length == 1_572_864)
    #expect(changed.outdated?.length == 1_048_576)
    #expect(catalog.entry(number: 12)?.alias == "a new id")
    #expect(catalog.entry(number: 7)?.linkName == "2026-05-22 The new title.mp4")
    #expect(catalog.encoded() == bytes)
  }

  /// The previous version reads and writes entries by `Codable`.
  @Test func anEntryIsWrittenAsItsPropertiesSay() throws {
    var odd = video("b \u{7F}\u{2028}\u{1F980}\"\\/\u{1}\u{8}\u{C}\r\n\t", title: "\u{0}e\u{301}")
    odd.media?.duration = 0.1
    odd.media?.bitrate = -.infinity
    odd.published = -1
    odd.season = .min
    odd.episode = .max
    odd.alternates = [1e21, 123_456_789, 1e-7, .leastNonzeroMagnitude].map { duration in
      var media = Media(url: "http://x/\(duration)")
      media.duration = duration
      return media
    }
    let catalog = try Catalog.after(feed([odd, video("a")]))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let entries = String(decoding: try encoder.encode(Array(catalog.entries)), as: UTF8.self)

    let text = String(decoding: catalog.encoded(), as: UTF8.self)

    #expect(text.contains("\"entries\":\(entries)"), "\(text)\n\(entries)")
  }

  @Test(arguments: [0, 1, 499, 500, 501, 1300])
  func aSnapshotIsReadInAnyPieces(count: Int) throws {
    let catalog = try Catalog.after(feed((0..<count).map { video("\($0)") }))
    var rest = catalog.encoded()[...]
    var length = 0

    let read = try Catalog(reading: {
      length = length % 700 + 1
      defer { rest = rest.dropFirst(length) }
      return rest.isEmpty ? nil : Array(rest.prefix(length))
    })

    #expect(read == catalog)
    #expect(catalog.snapshot.count == (count + 499) / 500 + 2)
  }
}
