import Testing

@testable import FeedReading

/// Ways of writing that were met in real feeds.
@Suite(.timeLimit(.minutes(1)))
struct RealFeedTests {
  // MARK: Days

  @Test(
    arguments: [
      ("Sat, 27 Dec 2025 00:00:00 +0100", "2025-12-27"),
      ("Sat, 27 Dec 2025 23:30:00 -0500", "2025-12-27"),
      ("2025-12-27T00:30:00+09:00", "2025-12-27"), ("2025-12-27T23:59:59Z", "2025-12-27"),
      ("2025-W52-6T00:00:00+01:00", "2025-12-27"), ("27. Dezember 2025", "2025-12-27"),
      ("Sat, 27 Dec 2025 00:00:00 GMT", "2025-12-27"), ("2025년 12월 27일", "2025-12-27"),
      ("soon", nil),
    ] as [(String, String?)])
  func theDayIsThePublishers(written: String, day: String?) throws {
    #expect(try item("<guid>g</guid><pubDate>\(written)</pubDate>").day == day)
  }

  @Test func theMomentIsTheSameWhereverItIsWritten() throws {
    let east = try item("<guid>g</guid><pubDate>Sat, 27 Dec 2025 00:00:00 +0100</pubDate>")
    let here = try item("<guid>g</guid><pubDate>Fri, 26 Dec 2025 23:00:00 GMT</pubDate>")
    #expect(east.published == here.published && east.zone == 3600 && here.zone == nil)
    #expect(here.day == "2025-12-26")
  }

  @Test(arguments: [
    "<issued>2004</issued><published>2010</published>",
    "<published>2010</published><issued>2004</issued>",
    "<created>2003</created><issued>2004</issued><published>2010</published><updated>2011</updated>",
  ])
  func anEntryIsPublishedWhenItSaysPublished(dates: String) throws {
    let feed = try parse(atom("<entry><id>1</id>\(dates)</entry>"))
    #expect(feed.entries[0].day == "2010-01-01")
  }

  // MARK: Durations

  @Test(
    arguments: [
      // Arc: a film of 211 s
      ("211200", "119000000", 211.2), ("30000", "5000000", 30), ("211200", "", 211.2),
      // seconds: a film of 3 h, a recording of 20 h, one of 60 h
      ("10800", "1500000000", 10_800), ("72000", "", 72_000), ("216000", "40000000000", 216_000),
      ("61", "1000000", 61), ("10800", "20000", 10_800), ("7200", "20000", 7_200),
      // written with colons: no milliseconds, whatever size the feed claims
      ("3:02:01", "5000000", 10_921), ("182:01", "5000000", 10_921), ("27:46:40", "17000", 100_000),
      ("3:02:01.5", "5000000", 10_921.5), ("30:00:00", "", 108_000), ("10921", "5000000", 10.921),
    ])
  func aDurationIsInSeconds(written: String, size: String, seconds: Double) throws {
    let content = """
      <guid>g</guid><media:content url="http://x/a.mp4" type="video/mp4" duration="\(written)"
      fileSize="\(size)"/>
      """
    let entry = try item(content)
    #expect(entry.duration == seconds && entry.media?.duration == seconds)
  }

  // MARK: Pictures and titles

  @Test(arguments: [
    #"<media:content url="http://x/i?id=1" medium="image"/>"#,
    #"<media:content url="http://x/i.jpg" medium="image"/>"#,
    #"<media:content url="http://x/i.php" medium="image" type="application/octet-stream"/>"#,
    #"<media:content url="http://x/i" type="image/jpeg"/>"#,
  ])
  func anImageIsTheCover(content: String) throws {
    let film = #"<enclosure url="http://x/v.mp4" type="video/mp4"/>"#
    #expect(try item("<guid>g</guid>" + film + content).thumbnail?.hasPrefix("http://x/i") == true)
    #expect(try item("<guid>g</guid>" + content).skipped == "only an image")
  }

  @Test(
    arguments: [
      (
        "<description>&lt;p&gt;A fox &amp;amp; a hen.&lt;/p&gt; &lt;p&gt;More.&lt;/p&gt;</description>",
        "A fox & a hen."
      ),
      ("<description><![CDATA[<p>One<br>two</p>]]></description>", "One two"),
      ("<content:encoded>Encoded</content:encoded>", "Encoded"),
      ("<description>Text</description><title>Title</title>", "Title"),
      ("<title>Title</title><description>Text</description>", "Title"),
      ("<title/><description>Text</description>", "Text"),
      ("<description>Text</description><media:title>Film</media:title>", "Film"),
      ("<description/>", ""), ("<description>&lt;img src='x.jpg'&gt;</description>", ""),
    ])
  func aPostWithoutATitleHasItsTextsBeginning(written: String, title: String) throws {
    let root = podcastRoot.replacing(
      ">", with: #" xmlns:content="http://purl.org/rss/1.0/modules/content/">"#)
    let feed = try parse(rss("<item><guid>g</guid>\(written)</item>", root: root))
    #expect(feed.entries[0].title == title)
  }

  @Test func aLongTextIsCutBetweenWords() throws {
    let words = String(repeating: "word ", count: 100_000)
    let long = try item("<guid>g</guid><description>\(words)</description>").title
    #expect(long.hasSuffix("word…") && long.count <= 81)
    let single = try item(
      "<guid>g</guid><description>\(String(repeating: "é", count: 9_000))</description>"
    ).title
    #expect(single == String(repeating: "é", count: 80) + "…")
    let tag =
      "<p>" + String(repeating: "<a href='\(String(repeating: "x", count: 2_000))'>", count: 2)
    #expect(TextTitle.of(tag) == "")
  }

  @Test func theTextsOfAtomAndJSONCountToo() throws {
    let text = """
      <entry><id>1</id><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>A fox</p>
      </div></content></entry><entry><id>2</id><summary type="html">&lt;b>A hen&lt;/b></summary></entry>
      """
    #expect(try parse(atom(text)).entries.map(\.title) == ["A fox", "A hen"])
    let json = #"""
      {"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "1", "content_text": "A fox"}]}
      """#
    #expect(try parse(json).entries.map(\.title) == ["A fox"])
  }

  /// Ids are on the disk, and may be made of titles.
  @Test func theTextIsNoPartOfAnId() throws {
    let one = try item("<description>One</description><pubDate>2004-01-01</pubDate>")
    let two = try item("<pubDate>2004-01-01</pubDate>")
    #expect(one.id == two.id && one.idSource == .hash)
  }

  // MARK: Several things

  private func contents(_ films: [(String, String)]) throws -> [Entry] {
    let all = films.map { name, more in
      #"<media:content url="http://x/\#(name)" type="video/mp4" \#(more)</media:content>"#
    }
    let item = "<item><guid>g</guid><title>T</title>\(all.joined())</item>"
    return Array(try parse(rss(item, root: podcastRoot)).entries)
  }

  @Test(arguments: [
    [("a.mp4", "><media:title>A</media:title>"), ("b.mp4", "><media:title>B</media:title>")],
    [("a.mp4", #"duration="61">"#), ("b.mp4", #"duration="300">"#)],
    [("fox.mp4", ">"), ("hen.mp4", ">")],
  ])
  func differentThingsInAnItemAreEntries(films: [(String, String)]) throws {
    let entries = try contents(films)
    #expect(entries.map(\.media?.url) == films.map { "http://x/\($0.0)" })
    #expect(entries[0].id == "g" && entries[1].id.hasPrefix("g#"))
    #expect(
      try contents(films.reversed()).map(\.media?.url)
        == films.reversed().map { "http://x/\($0.0)" })
  }

  @Test(arguments: [
    [("a.mp4", #"duration="61">"#), ("b.mp4", #"duration="62">"#)],
    [("a.mp4", #"height="720">"#), ("b.mp4", #"height="480">"#)],
    [("talk-hd.mp4", ">"), ("talk-sd.mp4", ">")],
    [("a.mp4", #"isDefault="true">"#), ("b.mp4", ">")],
    [("a.mp4", "><media:title>A</media:title>"), ("b.mp4", "><media:title>A</media:title>")],
    [("a.mp4", #"bitrate="900">"#), ("b.mp4", #"bitrate="300">"#)],
    [("a.mp4", ">"), ("a.mp4", ">")],
  ])
  func formsOfOneThingAreOneEntry(films: [(String, String)]) throws {
    #expect(try contents(films).map(\.media?.url) == ["http://x/\(films[0].0)"])
  }

  @Test func anEntryWithoutAGuidKeepsItsIdWhenItsItemHasMoreThings() throws {
    let films = ["fox", "hen"].map {
      #"<media:content url="http://x/\#($0).mp4" type="video/mp4"/>"#
    }
    let item = "<item><link>http://x/1</link>\(films.joined())</item>"
    let entries = try parse(rss(item, root: podcastRoot)).entries
    #expect(entries.count == 2 && entries[0].id == "http://x/1" && entries[0].idSource == .link)
  }

  // MARK: Documents

  @Test(arguments: [
    "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>P</title></head><body>{f}</body></html>",
    "<!DOCTYPE html><html><body><p>x<br>{f}</p><script>if (a < b) {}</script></body></html>",
  ])
  func aFeedInAPageIsRead(page: String) throws {
    let entry = "<entry><id>1</id><title>T</title><link rel='enclosure' href='/a.mp4'/></entry>"
    for document in [atom(entry), rss("<item><guid>1</guid><enclosure url='/a.mp4'/></item>")] {
      let inner = document.replacing("<?xml version=\"1.0\"?>\n", with: "")
      let feed = try parse(page.replacing("{f}", with: inner))
      #expect(feed.entries.map(\.media?.url) == ["https://example.org/a.mp4"])
      #expect(!feed.recovered && feed.diagnostics == ["the feed is a part of an HTML page"])
    }
  }

  @Test(arguments: [
    "callback({j});", "/* callback */\r\ncallback(\r\n{j}\r\n);", "a.b_$1 ( {j} )",
    "\u{FEFF}cb({j})",
  ])
  func aListingInACallIsRead(call: String) throws {
    let json = #"[{"name":"a.mp4","type":"file","mtime":"Fri, 01 May 2026 10:00:00 GMT","size":9}]"#
    let feed = try parse(call.replacing("{j}", with: json), base: "https://h.org/v/")
    #expect(feed.entries.map(\.media?.url) == ["https://h.org/v/a.mp4"])
    #expect(feed.diagnostics.isEmpty)
  }

  @Test(arguments: ["f(", "f(x)", "(", "/* a", "/* a */ [1]", "f (1) [2]"])
  func aCallOfAnythingElseIsNoFeed(text: String) {
    #expect(throws: FeedError.self) { try parse(text) }
  }

  @Test func aListingOfCaddyHasNamesAndTimes() throws {
    let json = #"""
      [{"name":"sub/","size":4096,"url":"./sub/","mod_time":"2026-05-01T10:00:00Z","mode":1,"is_dir":true,
      "is_symlink":false},{"name":"a b.mp4","size":12345,"url":"./a%20b.mp4","mod_time":
      "2026-05-01T12:00:00.123456789+02:00","mode":420,"is_dir":false,"is_symlink":false},
      {"name":"a b.en.vtt","size":9,"url":"./a%20b.en.vtt","mod_time":"2026-05-01T10:00:00Z",
      "mode":420,"is_dir":false,"is_symlink":false}]
      """#
    let feed = try parse(json, base: "https://h.org/v/")
    let entry = try #require(feed.entries.first)
    #expect(feed.kind == .index && feed.entries.count == 1 && entry.title == "a b")
    #expect(entry.published == 1_777_629_600 && entry.media?.length == 12_345)
    #expect(entry.media?.url == "https://h.org/v/a%20b.mp4")
    #expect(entry.subtitles.map(\.lang) == ["en"])
    #expect(
      feed.diagnostics == ["folders, which are not read; each has an address of its own: sub/"])
  }

  @Test(arguments: FormatTests.listings)
  func foldersAndOtherFilesOfAListingAreTold(text: String) throws {
    let feed = try parse(text, base: "https://h.org/dir/")
    let notes = feed.diagnostics.joined()
    #expect(notes.contains("folders, which are not read") == text.contains("sub"))
    #expect(notes.contains("neither video nor audio: notes.txt") == text.contains("notes.txt"))
  }

  @Test func tracksOfAPlayerAreSubtitlesAndChapters() throws {
    let json = #"""
      {"playlist": [{"title": "T", "file": "a.mp4", "tracks": [
      {"file": "en.vtt", "kind": "captions", "label": "English", "language": "en"},
      {"file": "de.srt", "kind": "subtitles", "label": "de"}, {"file": "s.vtt", "kind": "thumbnails"},
      {"file": "c.vtt", "kind": "chapters"}, {"kind": "captions"}]}]}
      """#
    let entry = try #require(try parse(json, base: "https://h.org/v/").entries.first)
    #expect(entry.subtitles.map(\.url) == ["https://h.org/v/en.vtt", "https://h.org/v/de.srt"])
    #expect(entry.subtitles.map(\.lang) == ["en", "de"])
    #expect(entry.chapters == "https://h.org/v/c.vtt")
    let track = #"<jwplayer:track file="http://x/en.vtt" kind="captions" label="en"/>"#
    let item = "<item><guid>g</guid><enclosure url='http://x/a.mp4'/>\(track)</item>"
    let feed = try parse(
      rss(item, root: #"<rss xmlns:jwplayer="http://rss.jwpcdn.com/" version="2.0">"#))
    #expect(feed.entries[0].subtitles.map(\.lang) == ["en"])
  }

  @Test func foldersOfASubscriptionListAreTold() throws {
    let feed = try parse(
      """
      <opml><body><outline text="News"><outline text="Local"><outline text="A" xmlUrl="/a"/></outline>
      <outline text="B" xmlUrl="/b"><outline text="C" xmlUrl="/c"/></outline></outline>
      <outline text="D" xmlUrl="/d"/></body></opml>
      """)
    #expect(feed.feeds.map(\.folder) == ["News/Local", "News", "News", nil])
    #expect(feed.entries.map(\.title) == ["News/Local/A", "News/B", "News/C", "D"])
  }

  @Test func itemsThatAreLeftOutAreCounted() throws {
    let channel = """
      <podcast:liveItem status="live"><guid>l</guid><enclosure url="/l.mp3"/></podcast:liveItem>
      <podcast:trailer url="/t.mp3">T</podcast:trailer><podcast:trailer url="/u.mp3">U</podcast:trailer>
      """
    let feed = try parse(rss(channel, root: podcastRoot))
    #expect(feed.entries.isEmpty)
    #expect(
      feed.diagnostics == ["live streams that are left out: 1", "trailers that are left out: 2"])
  }
}
