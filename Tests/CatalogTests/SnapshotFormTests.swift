import FoundationEssentials
import TestSupport
import Testing

@testable import Catalog
@testable import FeedReading

/// The form of snapshots, as the first version wrote them.
@Suite(.timeLimit(.minutes(1))) struct SnapshotFormTests {
  /// The first version wrote the catalog after a life with three pages, drops, a pin, another title,
  /// another id and another version.
  @Test func theCatalogOfTheFirstVersionIsReadAndWrittenUnchanged() throws {
    let bytes = try FirstVersion.file("catalog.json")

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
