import FoundationEssentials
import TestSupport
import Testing

@testable import FeedReading
@testable import Markup

/// Documents give the same feeds as in the version before, to the last letter.
///
/// Ids and names on the disk are made of what a feed says. `Fixtures/same-feeds.json` has a
/// fingerprint of the feeds of each set of documents. A change that is meant to read a document
/// otherwise writes the file anew: `FEEDFS_RECORD=1` does it.
@Suite(.timeLimit(.minutes(3)))
struct SameFeedTests {
  @Test func theSamplesGiveTheSameFeeds() throws {
    for file in try Self.samples() {
      try Self.expect(Self.digest([Self.bytes(file)]), for: Self.name(of: file))
    }
  }

  /// Samples with bytes removed, repeated and replaced: most need a repair.
  @Test(arguments: 0..<8)
  func damagedSamplesGiveTheSameFeeds(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let samples = try Self.samples().map(Self.bytes)
    let damaged = (0..<250).map { _ in
      Self.damaged(samples[random.below(samples.count)], &random)
    }
    try Self.expect(Self.digest(damaged), for: "damaged, seed \(seed)")
  }

  @Test(
    .enabled(if: Corpus.root != nil), arguments: ["feedparser", "gofeed", "hostile", "namespace"])
  func feedsCollectedByOthersGiveTheSameFeeds(folder: String) throws {
    let files = Corpus.files(below: folder, suffix: "")
      .filter { $0.hasSuffix(".xml") || $0.hasSuffix(".json") }
    try Self.expect(Self.digest(files.map { try Corpus.bytes($0) }), for: "collected: \(folder)")
  }

  // MARK: Private

  private static let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
  private static let fixture = "/\(tests)/Fixtures/same-feeds.json"
  private static let isRecording = ProcessInfo.processInfo.environment["FEEDFS_RECORD"] != nil

  private static func samples() throws -> [String] {
    let folder = "/\(tests)/Fuzz/Corpus/feed"
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      .map { "\(folder)/\($0)" }
  }

  private static func name(of file: String) -> String {
    String(file.split(separator: "/").last ?? "")
  }

  private static func bytes(_ file: String) throws -> [UInt8] {
    Array(try #require(FileManager.default.contents(atPath: file)))
  }

  /// Compares a digest with the recorded one, or records it.
  private static func expect(_ digest: String, for name: String) throws {
    let data = FileManager.default.contents(atPath: fixture) ?? Data("{}".utf8)
    var known = try JSONDecoder().decode([String: String].self, from: data)
    if isRecording {
      known[name] = digest
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try encoder.encode(known).write(to: URL(filePath: fixture))
    }
    #expect(known[name] == digest, "\(name)")
  }

  private static func damaged(_ sample: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var bytes = sample
    for _ in 0...random.below(4) where !bytes.isEmpty {
      let start = random.below(bytes.count)
      let range = start..<min(bytes.count, start + 1 + random.below(12))
      switch random.below(4) {
      case 0: bytes.removeSubrange(range)
      case 1: bytes.insert(contentsOf: bytes[range], at: random.below(bytes.count))
      case 2: bytes[start] = UInt8(truncatingIfNeeded: random.next())
      default: bytes[start] = Array("<>&;\"'/ =:%é\n".utf8)[random.below(14)]
      }
    }
    return bytes
  }

  /// Returns a fingerprint of the feeds of all documents, with and without a base, and for each
  /// choice.
  private static func digest(_ documents: [[UInt8]]) -> String {
    var text = ""
    for document in documents {
      for base in ["", "https://h.org/dir/feed?a=b#c"] {
        for isWide in [false, true] {
          var choice = MediaChoice()
          choice.audio = isWide
          choice.pages = isWide
          choice.maxHeight = isWide ? 720 : nil
          text += description(document, base: base, choice: choice)
        }
      }
      // One number for what came so far keeps the text short.
      text = String(text.fingerprint, radix: 16)
    }
    return text
  }

  private static func description(
    _ document: [UInt8], base: String, choice: MediaChoice
  ) -> String {
    let feed: Feed
    do {
      feed = try FeedParser.parse(document, base: base, choice: choice)
    } catch {
      return "\(error)"
    }
    let quiet = "\(feed.quiet.hours.sorted()) \(feed.quiet.days.sorted())"
    let head: [Any?] = [
      feed.kind, feed.title, feed.url, feed.language, feed.next, feed.complete, feed.ttl, quiet,
      feed.pace, feed.newURL, feed.feeds, feed.deleted, feed.diagnostics, feed.recovered,
    ]
    let entries = feed.entries.map { entry in
      var entry = entry
      entry.notes = nil
      return "\(entry)"
    }
    // The digests are older than notes, and than the lengths that only listings have.
    return ("\(head)" + entries.joined()).replacing(", roundedLength: nil", with: "")
      .replacing(", notes: nil", with: "")
  }
}
