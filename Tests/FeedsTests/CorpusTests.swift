import FoundationEssentials
import Testing

@testable import Feeds

/// Feeds collected by others, where they lie beside the project.
@Suite(.timeLimit(.minutes(1)), .enabled(if: Corpus.root != nil))
struct CorpusTests {
  /// Fixtures whose JSON says otherwise, and why we do.
  static let differences: [String: String] = [
    // RFC 4287 §4.2.6.1: an id is compared as it is written.
    "entry_id_xml_base.xml": "resolves an id against xml:base"
  ]

  @Test func fixturesAgreeWithTheJSONBesideThem() throws {
    var compared = 0
    var wrong: [String] = []
    for file in Corpus.files(below: "gofeed/testdata", suffix: ".xml") {
      guard let expected = Corpus.expectation(beside: file) else { continue }
      compared += 1
      let found = try? FeedParser.parse(Corpus.bytes(file), base: "")
      let faults = expected.faults(in: found)
      let name = String(file.split(separator: "/").last ?? "")
      if !faults.isEmpty, Self.differences[name] == nil { wrong.append("\(name): \(faults)") }
    }
    #expect(compared > 500)
    #expect(wrong == [])
  }

  @Test func hostileFeedsAreReadOrRefusedButNeverCrash() throws {
    for file in Corpus.files(below: "hostile", suffix: ".xml") {
      let feed = try FeedParser.parse(Corpus.bytes(file), base: "")
      // The broken billion laughs and the like have one item, the others two.
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
  /// Found beside one of the folders that this file lies in.
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

/// What the JSON beside a fixture says of the fields that we read too.
struct Expectation: Decodable {
  struct Item: Decodable {
    struct GUID: Decodable { var value: String? }
    struct Enclosure: Decodable { var url: String? }
    struct Link: Decodable { var href: String?, rel: String? }

    var id: String?
    var guid: String?
    var title: String?
    var addresses: [String]

    enum Key: CodingKey { case id, guid, title, enclosures, links }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      id = try? container.decode(String.self, forKey: .id)
      guid =
        (try? container.decode(String.self, forKey: .guid))
        ?? (try? container.decode(GUID.self, forKey: .guid))?.value
      title = try? container.decode(String.self, forKey: .title)
      let enclosures = (try? container.decode([Enclosure].self, forKey: .enclosures)) ?? []
      let links = (try? container.decode([Link].self, forKey: .links)) ?? []
      addresses =
        enclosures.compactMap(\.url) + links.filter { $0.rel == "enclosure" }.compactMap(\.href)
    }
  }

  var title: String?
  var items: [Item]?
  var entries: [Item]?

  func faults(in feed: Feed?) -> [String] {
    guard let feed else { return ["not parsed"] }
    var faults: [String] = []
    func compare(_ what: String, _ expected: String?, _ found: String) {
      guard let expected, PlainText.of(expected) != PlainText.of(found) else { return }
      faults.append("\(what) \(found) instead of \(expected)")
    }
    compare("feed title", title, feed.title)
    let items = items ?? entries ?? []
    compare("count", "\(items.count)", "\(feed.entries.count)")
    for (item, entry) in zip(items, feed.entries) {
      compare("title", item.title, entry.title)
      compare("id", item.id ?? item.guid, entry.id)
      let found = [entry.media].compactMap { $0?.url } + entry.alternates.map(\.url)
      for address in item.addresses where !found.contains(address) {
        faults.append("lacks \(address), has \(found)")
      }
    }
    return faults
  }
}
