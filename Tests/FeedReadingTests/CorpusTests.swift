import FoundationEssentials
import Testing

@testable import FeedReading

/// Feeds collected by others, if they lie beside the project.
@Suite(.timeLimit(.minutes(1)), .enabled(if: Corpus.root != nil))
struct CorpusTests {
  @Test func fixturesAgreeWithTheJSONBesideThem() throws {
    var compared = 0
    var found: Set<KnownDifference> = []
    for file in Corpus.files(below: "gofeed/testdata", suffix: ".xml") {
      guard let expected = Corpus.expectation(beside: file) else { continue }
      compared += 1
      let name = String(file.split(separator: "/").last ?? "")
      let feed = try? FeedParser.parse(Corpus.bytes(file), base: "")
      found.formUnion(expected.differences(from: feed).map { KnownDifference(name, $0.0, $0.1) })
    }
    #expect(compared > 500)
    #expect(found.subtracting(KnownDifference.all.keys) == [], "unknown")
    #expect(Set(KnownDifference.all.keys).subtracting(found) == [], "no longer so")
  }

  @Test func hostileFeedsAreReadOrRefusedButNeverCrash() throws {
    for file in Corpus.files(below: "hostile", suffix: ".xml") {
      let feed = try FeedParser.parse(Corpus.bytes(file), base: "")
      // The broken billion laughs and similar feeds have one item, the others two.
      let ids = feed.entries.map(\.id)
      #expect(
        ids.count == 1 || ids.count == 2 && ids[1] == "b" || file.contains("trunc"), "\(file)")
    }
  }

  @Test func illFormedFeedsAreReadOrRefusedButNeverCrash() throws {
    for file in Corpus.files(below: "feedparser/illformed", suffix: ".xml") {
      let feed = try? FeedParser.parse(Corpus.bytes(file), base: "")
      #expect(feed != nil || file.hasSuffix("rss_empty_document.xml"), "\(file)")
    }
  }

  @Test func theExampleOfPodcasting20HasThreeEntriesAndNoLiveItem() throws {
    let root = try #require(Corpus.root)
    let feed = try FeedParser.parse(Corpus.bytes(root + "/namespace/example.xml"), base: "")
    #expect(feed.entries.map(\.id) == (1...3).reversed().map { "https://example.com/ep000\($0)" })
    #expect(feed.entries.map(\.episode) == [3, 2, 1])
    #expect(feed.entries[0].media?.url == "https://example.com/file-720.mp4")
    #expect(feed.entries[0].media?.height == 720)
    #expect(feed.entries[0].subtitles.map(\.lang) == ["es"])
    #expect(feed.entries[1].skipped == "audio only")
  }
}

enum Corpus {
  /// The folder `shared/feeds` beside one of this file's parent folders.
  static let root: String? = {
    var folder = #filePath[...]
    while let slash = folder.lastIndex(of: "/") {
      folder = folder[..<slash]
      let candidate = folder + "/shared/feeds"
      if FileManager.default.fileExists(atPath: candidate + "/FEEDS.md") {
        return String(candidate)
      }
    }
    return nil
  }()

  static func files(below folder: String, suffix: String) -> [String] {
    guard let root else { return [] }
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: root + "/" + folder)) ?? []
    return names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(root)/\(folder)/\($0)" }
  }

  static func bytes(_ path: String) throws -> [UInt8] {
    Array(try #require(FileManager.default.contents(atPath: path)))
  }

  static func expectation(beside path: String) -> Expectation? {
    FileManager.default.contents(atPath: path.dropLast(4) + ".json").flatMap {
      try? JSONDecoder().decode(Expectation.self, from: $0)
    }
  }
}
