import FoundationEssentials
import TestSupport
import Testing

@testable import Catalog
@testable import FeedReading

/// `feed show --all` names an entry or a reason for every item of a feed.
@Suite(.timeLimit(.minutes(2)))
struct NothingSilentTests {
  /// Pieces of items of the corpus and of real feeds: any mixture of them is an item.
  private static let pieces = [
    "<title>T</title>", "<title/>", "<guid>g</guid>", "<guid/>", "<link>http://x/1</link>",
    "<link/>",
    "<description>A text. And more.</description>",
    "<pubDate>Fri, 01 May 2026 10:00:00 +0200</pubDate>",
    #"<enclosure url="a.mp4" type="video/mp4" length="300000"/>"#, #"<enclosure url=""/>"#,
    #"<enclosure url="magnet:?x" type="video/mp4"/>"#,
    #"<enclosure url="a.mp3" type="audio/mpeg"/>"#,
    #"<enclosure url="/play/1"/>"#, #"<enclosure url="a.pdf" type="application/pdf"/>"#,
    #"<enclosure url="a.m3u8"/>"#, #"<enclosure url="a.torrent"/>"#, #"<enclosure/>"#,
    #"<media:content url="b.mp4" height="720"/>"#, #"<media:content url="c.mp4" duration="9"/>"#,
    #"<media:content url="i" medium="image"/>"#, #"<media:content medium="video"/>"#,
    #"<media:content url="u-1080-fragmented.mp4"/><media:content url="u-0-fragmented.mp4"/>"#,
    #"<media:player url="http://x/p"/>"#,
    #"<media:group><media:content url="f.swf"/></media:group>"#,
    #"<podcast:alternateEnclosure type="video/mp4"><podcast:source uri="ipfs://q"/></podcast:alternateEnclosure>"#,
  ]

  /// The names of containers of lists, and of their items.
  private static func document(of count: Int, _ random: inout SeededRandom) -> String {
    let items = (0..<count).map { _ in
      "<item>"
        + (0..<random.below(7)).map { _ in pieces[random.below(pieces.count)] }.joined()
        + "</item>"
    }
    return rss(items.joined()).replacing(
      "<rss ", with: #"<rss xmlns:podcast="https://podcastindex.org/namespace/1.0" "#)
  }

  private func show(_ feed: Feed) throws -> (json: Shown, lines: [Substring]) {
    let json = FeedReport.json(of: feed, all: true)
    let table = FeedReport.table(of: feed, all: true)
    return (
      try JSONDecoder().decode(Shown.self, from: Data(json.utf8)),
      table.split(separator: "\n").dropFirst().filter { !$0.hasPrefix("note: ") }
    )
  }

  private struct Shown: Decodable {
    struct Item: Decodable {
      var name: String?
      var url: String?
      var skipped: String?
    }
    var entries: [Item]
  }

  private func expectNoneIsSilent(_ feed: Feed) throws {
    let (json, lines) = try show(feed)
    #expect(json.entries.count == feed.entries.count && lines.count == feed.entries.count)
    for (item, line) in zip(json.entries, lines) {
      if let name = item.name {
        #expect(item.url?.isEmpty == false && item.skipped == nil && line.hasPrefix(name))
      } else {
        let reason = try #require(item.skipped)
        #expect(!reason.isEmpty && line.hasPrefix("-") && line.contains(" (\(reason)"))
      }
    }
  }

  @Test(arguments: 0..<100)
  func everyItemOfARandomFeedIsAnEntryOrHasAReason(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let count = 1 + random.below(30)
    let feed = try parse(Self.document(of: count, &random))

    // An item with several things is several entries, and never none.
    #expect(feed.entries.count >= count)
    try expectNoneIsSilent(feed)
  }

  @Test(arguments: 0..<100)
  func everyEntryOfADamagedFeedIsAFileOrHasAReason(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let samples = try Self.samples()
    var bytes = samples[seed % samples.count]
    for _ in 0...random.below(4) where !bytes.isEmpty {
      let start = random.below(bytes.count)
      let range = start..<min(bytes.count, start + 1 + random.below(12))
      switch random.below(3) {
      case 0: bytes.removeSubrange(range)
      case 1: bytes.insert(contentsOf: bytes[range], at: random.below(bytes.count))
      default: bytes[start] = UInt8(truncatingIfNeeded: random.next())
      }
    }
    do {
      let feed = try FeedParser.parse(bytes, base: "https://h.org/dir/feed")
      try expectNoneIsSilent(feed)
      let isToldOf = !feed.entries.isEmpty || !feed.feeds.isEmpty || !feed.diagnostics.isEmpty
      // A feed may be empty; only a page that names no file has to say so.
      #expect(isToldOf || feed.kind != .index)
    } catch let error as FeedError {
      #expect(!error.description.isEmpty)
    }
  }

  private static func samples() throws -> [[UInt8]] {
    let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let folder = "/\(tests)/Fuzz/Corpus/feed"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    return try names.map { Array(try Data(contentsOf: URL(filePath: "\(folder)/\($0)"))) }
  }
}
