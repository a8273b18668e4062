import FoundationEssentials
import Testing

@testable import Catalog
@testable import FeedReading

/// Entries whose media is a stream, and pages that may lead to one.
@Suite(.timeLimit(.minutes(1))) struct StreamEntryTests {
  private static let tag = "\"s1-0123456789abcdef0123456789abcdef\""

  private func page(_ items: [String]) throws -> Feed {
    let all = items.map { "<item><guid>\($0.prefix(1))</guid>\($0.dropFirst())</item>" }
    return try parse(rss(all.joined()))
  }

  private func link(_ id: String) -> Entry {
    var entry = Entry(id: id, idSource: .guid)
    entry.media = .page("https://site.example/watch/\(id)")
    return entry
  }

  private func read(_ page: Feed, into catalog: inout Catalog) {
    _ = catalog.merge(page, now: noon, fileExtension: MediaType.fileExtension(of:))
  }

  private func body(_ tag: String?, type: String? = nil) -> KnownBody {
    KnownBody(length: 5, entityTag: tag, contentType: type, checkedAt: noon, freshFor: 60)
  }

  // MARK: Names

  @Test func aNewStreamIsAMatroskaAndANameThatExistsStays() throws {
    var catalog = try Catalog.empty()
    read(
      try page([
        #"a<enclosure url="http://x/a.mp4" type="video/mp4"/>"#,
        #"b<enclosure url="http://x/b.m3u8" type="application/x-mpegURL"/>"#,
      ]), into: &catalog)
    #expect(catalog.entries.map(\.name) == ["0001.mp4", "0002.mkv"])
    read(
      try page([
        #"a<enclosure url="http://x/a.mpd" type="application/dash+xml"/>"#,
        #"b<enclosure url="http://x/b.mp4" type="video/mp4"/>"#,
      ]), into: &catalog)
    #expect(catalog.entries.map(\.name) == ["0001.mp4", "0002.mkv"])
    #expect(catalog.entries.map(\.media.isStream) == [true, false])
  }

  @Test(
    arguments: [
      (nil, nil, "mp4"), ("\"0a1b\"", nil, "mp4"), (tag, nil, "mkv"),
      (tag, "video/x-matroska", "mkv"), (tag, "audio/x-matroska", "mka"),
    ] as [(String?, String?, String)])
  func aPageIsCalledAsTheNewestPageTurnedOut(
    tag: String?, type: String?, ending: String
  ) throws {
    var catalog = try Catalog.empty()
    read(feed([link("b"), link("a"), video("v")]), into: &catalog)
    #expect(catalog.entries.map(\.name) == ["0001.mp4", "0002.mp4", "0003.mp4"])
    catalog.know(body(tag, type: type), of: 1)
    // These say nothing: an older page, and a file.
    catalog.know(body(tag == nil ? Self.tag : nil), of: 2)
    catalog.know(body(Self.tag), of: 3)
    read(feed([link("c"), video("w"), link("b"), link("a"), video("v")]), into: &catalog)
    #expect(catalog.entries.map(\.name).suffix(2) == ["0004.\(ending)", "0005.mp4"])
  }

  // MARK: Sources

  private static let both = """
    a<media:content url="http://x/s.m3u8" height="1080"/><media:content url="http://x/v.mp4" height="720"/>
    """

  @Test func whatWasProvedStaysWhenAStreamIsBetter() throws {
    var catalog = try Catalog.empty()
    read(try page([#"a<media:content url="http://x/v.mp4" height="720"/>"#]), into: &catalog)
    catalog.know(body(nil), of: 1)
    read(try page([Self.both]), into: &catalog)
    let entry = try #require(catalog.entry(number: 1))
    #expect(entry.media.isStream && entry.source.url == "http://x/v.mp4")
    #expect(entry.sources.map(\.url) == ["http://x/v.mp4"], "no stream stands for a file")
  }

  @Test func anEntryThatWasNeverOpenedIsTheStreamFromNowOn() throws {
    var catalog = try Catalog.empty()
    read(try page([#"a<media:content url="http://x/v.mp4" height="720"/>"#]), into: &catalog)
    read(try page([Self.both]), into: &catalog)
    let entry = try #require(catalog.entry(number: 1))
    #expect(entry.source.url == "http://x/s.m3u8" && entry.claimedLength == nil)
    #expect(entry.sources.map(\.url) == ["http://x/s.m3u8", "http://x/v.mp4"])
  }

  @Test func aSnapshotKeepsTheChoiceByWhichItWasRead() throws {
    var facts = PageFacts()
    facts.choice = MediaChoice()
    facts.choice?.streams = false
    facts.choice?.languages = ["pt-br"]
    var catalog = try Catalog.empty()
    _ = catalog.merge(feed("a"), answer: facts, now: noon) { _ in "mp4" }
    #expect(try Catalog(decoding: catalog.encoded()).page.choice == facts.choice)
  }
}
