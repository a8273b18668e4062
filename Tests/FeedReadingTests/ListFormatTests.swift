import Testing

@testable import FeedReading
@testable import Markup

/// Irregular M3U, XSPF and OPML.
@Suite(.timeLimit(.minutes(3)))
struct ListFormatTests {
  private func feed(_ text: String) throws -> Feed {
    try parse(text, base: "https://h.org/dir/list")
  }

  // MARK: M3U

  @Test(arguments: [
    ("12,Title, with a comma", "Title, with a comma"), ("-1 a=\"x,y\" b=\"z\",Title", "Title"),
    ("-1 size=\"5\" disc\" group=\"x\",Movie, the", "Movie, the"), ("0 a=\"b,Title", "Title"),
    ("12", "a b"), ("12,", "a b"), ("12, Rock \"n\" Roll ", "Rock \"n\" Roll"),
  ])
  func theTitleBeginsBehindTheAttributes(information: String, title: String) throws {
    #expect(try feed("#EXTM3U\n#EXTINF:\(information)\na%20b.mp4").entries.map(\.title) == [title])
  }

  @Test func aListInLatin1IsReadAndTold() throws {
    let text = "#EXTM3U\r\n#EXTINF:5,Caf\u{E9}\r\na.mp4\r\n"
    let feed = try FeedParser.parse(
      text.unicodeScalars.map { UInt8($0.value) }, base: "https://h.org/")
    #expect(feed.entries.map(\.title) == ["Café"] && feed.diagnostics.count == 1)
    // This is the encoding of the format, and no damage.
    #expect(!feed.recovered)
  }

  @Test func aListInUTF16IsRead() throws {
    let units = "\u{FEFF}#EXTM3U\n#EXTINF:5,Café\na.mp4\n".utf16
    let bytes = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    #expect(try FeedParser.parse(bytes, base: "https://h.org/").entries.map(\.title) == ["Café"])
  }

  @Test(arguments: [
    ("C:\\Videos\\a.mp4", "c:"), ("\\\\server\\share\\a.mp4", "another machine"),
    ("file:///a.mp4", "file:"), ("rtsp://h.org/a.mp4", "rtsp:"), ("smb://h/a.mp4", "smb:"),
  ])
  func whatIsNotOnTheWebIsSkippedWithTheReason(line: String, reason: String) throws {
    let entry = try #require(feed("#EXTM3U\n#EXTINF:5,T\n\(line)\n").entries.first)
    #expect(entry.media == nil && entry.title == "T" && entry.skipped?.contains(reason) == true)
  }

  @Test(arguments: [
    ("-1", "https://h.org/live/1", true), ("-1", "https://h.org/live/1.ts", true),
    ("-1 tvg-id=\"a\"", "https://h.org/stream.php?id=1", true), ("-1.0", "https://h.org/1", true),
    ("-1", "https://h.org/film.mkv", false), ("-1", "https://h.org/d?files=a.mp4", false),
    ("-1", "https://h.org/radio.mp3", false), ("0", "https://h.org/live/1", false),
    ("61", "https://h.org/film.ts", false),
  ])
  func anAddressWithoutAnEndIsLive(duration: String, url: String, isBroadcast: Bool) throws {
    let feed = try feed("#EXTM3U\n#EXTINF:\(duration),T\n\(url)\n#EXTINF:5,U\nhttps://h.org/2")
    #expect((feed.entries[0].skipped == "a live stream") == isBroadcast)
    #expect(feed.entries[1].media?.url == "https://h.org/2")
  }

  @Test func aPathOfWindowsIsAPath() throws {
    let entry = try #require(feed("#EXTM3U\nsub\\a b.mp4\n").entries.first)
    #expect(entry.media?.url == "https://h.org/dir/sub/a%20b.mp4" && entry.title == "a b")
  }

  @Test(arguments: [
    "#EXTM3U\n" + String(repeating: "# a comment\n", count: 1000) + "#EXT-X-TARGETDURATION:6\na.ts",
    "#EXTINF:6,\na.ts\n#EXT-X-MEDIA-SEQUENCE:1\n",
    "#EXTM3U\r\n#EXT-X-STREAM-INF:BANDWIDTH=1\r\na.m3u8",
  ])
  func aStreamIsToldFromAListWhereverItShows(text: String) throws {
    #expect(try feed(text).kind == .stream)
  }

  @Test func aTitleThatNamesATagIsNoStream() throws {
    let feed = try feed("#EXTM3U\n#EXTINF:5,All of #EXT-X-STREAM-INF\na.mp4\nb.m3u8\n")
    #expect(feed.kind == .m3u && feed.entries.map(\.skipped) == [nil, nil])
    #expect(feed.entries.map(\.media?.isStream) == [false, true])
  }

  @Test(arguments: ["a line of prose\nhttps://h.org/a.mp4", "# only\n# comments", "key: value"])
  func proseIsNoList(text: String) {
    #expect(throws: FeedError.notAFeed(looksLike: "plain text")) { try feed(text) }
  }

  @Test func linesBeyondTheLimitAreNotRead() throws {
    let feed = try feed(String(repeating: "http://h/a.mp4\n", count: XMLLimit.entries + 1))
    #expect(feed.entries.count == XMLLimit.entries)
    #expect(feed.diagnostics.contains { $0.contains("more than 100000 entries") })
  }

  // MARK: XSPF

  @Test func aListOfVLCIsRead() throws {
    let feed = try feed(
      """
      <?xml version="1.0" encoding="UTF-8"?><playlist xmlns="http://xspf.org/ns/0/" version="1"
      xmlns:vlc="http://www.videolan.org/vlc/playlist/ns/0/"><title>P</title><trackList>
      <track><location>file:///home/u/a.mp4</location><duration>1000</duration>
      <extension application="x"><vlc:id>0</vlc:id></extension></track>
      <track><location> https://h.org/b.mp4?a=1&amp;b=2 </location><duration>0</duration></track>
      </trackList><extension application="x"><vlc:item tid="0"/></extension></playlist>
      """)
    #expect(feed.entries.map(\.media?.url) == [nil, "https://h.org/b.mp4?a=1&b=2"])
    #expect(feed.entries[0].skipped?.contains("file:") == true && feed.entries[1].duration == nil)
  }

  // MARK: OPML

  @Test func aFolderMayHoldManyFeeds() throws {
    let outlines = (0..<20_001).map { "<outline text='t' xmlUrl='https://h.org/\($0)'/>" }.joined()
    let feed = try feed("<opml><body><outline text='all'>\(outlines)</outline></body></opml>")
    #expect(feed.feeds.count == 20_001 && feed.diagnostics.isEmpty)
  }

  @Test func whatAnOutlineHoldsIsReadEvenIfItWasListedBefore() throws {
    let feed = try feed(
      """
      <opml><body><outline text="a" title="" XMLURL="feed://h.org/x"/><outline xmlUrl="http://h.org/x">
      <outline text="inner" xmlUrl="itpc://h.org/in"/></outline><outline type="include" url="o.opml"/>
      <outline xmlUrl="file:///etc/passwd"/></body></opml>
      """)
    #expect(feed.feeds.map(\.url) == ["http://h.org/x", "http://h.org/in"])
    #expect(feed.feeds.map(\.title) == ["a", "inner"])
    #expect(feed.diagnostics == ["feeds whose address cannot be used: 1"])
  }
}
