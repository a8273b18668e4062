import Catalog
import FeedReading
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SidecarTests {
  private func entry(_ change: (inout Entry) -> Void) throws -> CatalogEntry {
    var feed = Feed(kind: .rss)
    var entry = Entry(id: "a", idSource: .guid)
    entry.title = "A & <b>"
    entry.published = 1_777_629_600
    entry.media = Media(url: "http://x/a.mp4")
    change(&entry)
    feed.entries = [entry]
    var catalog = Catalog(feed: try FeedKey("https://h.org/"))
    _ = catalog.merge(feed, now: 1_800_000_000, fileExtension: { _ in "mp4" })
    return try #require(catalog.entries.first)
  }

  @Test func playersFindSubtitlesByTheirNames() throws {
    let entry = try entry { entry in
      entry.subtitles = [
        Subtitle(url: "http://x/1", type: "text/vtt", lang: "en-US"),
        Subtitle(url: "http://x/2.srt", type: nil, lang: "pt-BR"),
        Subtitle(url: "http://x/3", type: "application/x-subrip", lang: "pt"),
        Subtitle(url: "http://x/4", type: "text/html", lang: "de"),
        Subtitle(url: "http://x/5", type: "application/json", lang: "de"),
        Subtitle(url: "http://x/6.vtt", type: "text/vtt", lang: nil),
        Subtitle(url: "http://x/7.vtt", type: nil, lang: "../../x"),
      ]
    }
    let names = Sidecar.all(of: entry, kinds: [.subtitles]).map(\.name)
    #expect(
      names == ["0001.en.vtt", "0001.pt.srt", "0001.pt-2.srt", "0001.vtt", "0001.und-2.vtt"])
    let first = try #require(Sidecar.all(of: entry, kinds: [.subtitles]).first)
    #expect(first.titleName(of: entry) == "2026-05-01 A & <b>.en.vtt" && first.url == "http://x/1")
  }

  @Test func picturesAndDescriptionsAreThereWhereTheyAreWanted() throws {
    let entry = try entry { entry in
      entry.thumbnail = "http://x/p.webp?size=1"
      entry.season = 2
      entry.media?.duration = 90
    }
    #expect(Sidecar.all(of: entry, kinds: [.subtitles]).isEmpty)
    let all = Sidecar.all(of: entry, kinds: [.covers, .nfo])
    #expect(all.map(\.name) == ["0001.webp", "0001.nfo"])
    let text = String(decoding: try #require(all[1].content(of: entry)), as: UTF8.self)
    #expect(text.contains("<title>A &amp; &lt;b&gt;</title>"))
    #expect(text.contains("<season>2</season>") && text.contains("<runtime>2</runtime>"))
    #expect(all[0].content(of: entry) == nil)
  }

  /// The inode of a picture follows from its place.
  @Test func aPictureKeepsItsPlaceWhenSubtitlesCome() throws {
    let kinds = Set(Sidecar.Kind.allCases)
    func places(_ languages: Int) throws -> [String: Int] {
      let entry = try entry { entry in
        entry.thumbnail = "http://x/p.jpg"
        entry.subtitles = (0..<languages).map {
          Subtitle(url: "http://x/\($0)", type: "text/vtt", lang: $0 == 0 ? "en" : "de")
        }
      }
      let placed = Sidecar.placed(Sidecar.all(of: entry, kinds: kinds))
      return Dictionary(uniqueKeysWithValues: placed.map { ($0.sidecar.name, $0.place) })
    }
    let before = try places(1)
    let after = try places(100)
    #expect(before.count == 3 && before.allSatisfy { after[$0.key] == $0.value })
    #expect(Set(after.values).count == after.count && after.values.allSatisfy { $0 < 63 })
  }

  /// A listing goes on behind the place of the last name that it gave.
  @Test func placesRiseWhicheverKindsAreWanted() throws {
    let entry = try entry { entry in
      entry.thumbnail = "http://x/p.jpg"
      entry.notes = "Guests"
      entry.subtitles = (0..<3).map {
        Subtitle(url: "http://x/\($0)", type: "text/vtt", lang: $0 == 0 ? "en" : "de")
      }
    }
    let all = Sidecar.Kind.allCases
    for choice in 0..<1 << all.count {
      let kinds = all.enumerated().filter { choice & 1 << $0.offset != 0 }.map(\.element)
      let places = Sidecar.placed(Sidecar.all(of: entry, kinds: Set(kinds))).map(\.place)
      #expect(places == places.sorted() && Set(places).count == places.count, "\(kinds)")
      #expect(places.count == kinds.count + (kinds.contains(.subtitles) ? 2 : 0), "\(kinds)")
    }
  }

  @Test func everyInodeStandsForOneThing() {
    let nodes: [FeedNode] = [
      .root, .control, .titles, .document(3), .entry(inode: 16), .entry(inode: 1 << 27),
      .titleLink(number: 1), .titleLink(number: 100_000), .sidecar(number: 1, index: 0),
      .sidecar(number: 100_000, index: 62), .titleSidecar(number: 1, index: 0),
    ]
    #expect(Set(nodes.map(\.inode)).count == nodes.count)
    for node in nodes { #expect(FeedNode(inode: node.inode) == node) }
    #expect(FeedNode(inode: 1 << 40) == nil)
  }

  @Test(
    arguments: [
      ("talks", [], "talks"), ("talks", ["talks"], "talks (2)"), ("a/b", [], "a\u{29F8}b"),
      ("", [], "untitled"), (".feedfs", [], "feedfs"),
    ] as [(String, Set<String>, String)])
  func aFolderIsCalledAsItsFeed(title: String, taken: Set<String>, name: String) {
    #expect(FolderName.name(title, besides: taken) == name)
  }

  @Test func theListingHasNoSecrets() throws {
    var feed = Feed(kind: .rss)
    var entry = Entry(id: "http://x/?key=1", idSource: .guid)
    entry.media = Media(url: "http://x/a.mp4?token=1")
    feed.entries = [entry]
    var catalog = Catalog(feed: try FeedKey("https://u:p@h.org/f?key=1"))
    _ = catalog.merge(feed, now: 0, fileExtension: { _ in "mp4" })
    let document = CatalogDocument(catalog) { String($0.prefix { $0 != "?" }) }
    let text = String(decoding: document.pieces.joined, as: UTF8.self)
    #expect(text.contains("0001.mp4") && !text.contains("key=1") && !text.contains("token"))
    #expect(!text.contains("u:p"))
  }

  /// A conversion of the duration to whole seconds must not trap.
  @Test(arguments: [
    "#EXTM3U\n#EXTINF:1e300,One\na.mp4\n",
    "[{\"title\":\"One\",\"url\":\"a.mp4\",\"duration\":1e300}]",
    """
    <playlist><trackList><track><location>a.mp4</location><duration>1e40</duration></track>
    </trackList></playlist>
    """,
    """
    {"version":"https://jsonfeed.org/version/1","title":"t","items":[{"id":"a","attachments":[
    {"url":"a.mp4","mime_type":"video/mp4","duration_in_seconds":1e300}]}]}
    """,
  ]) func aDurationThatCannotBeIsNone(text: String) throws {
    let entry = try #require(try parse(text).entries.first)
    #expect(entry.media != nil && entry.duration == nil && entry.media?.duration == nil)
    var catalog = Catalog(feed: try FeedKey("https://h.org/"))
    _ = catalog.merge(try parse(text), now: 0, fileExtension: { _ in "mp4" })
    let made = try #require(catalog.entries.first)
    #expect(Sidecar.all(of: made, kinds: [.nfo]).first?.content(of: made)?.isEmpty == false)
  }
}
