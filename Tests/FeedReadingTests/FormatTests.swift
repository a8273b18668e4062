import Testing

@testable import FeedReading

/// Formats are recognised by content, whatever the name or type.
@Suite(.timeLimit(.minutes(1)))
struct FormatTests {
  private let base = "https://h.org/dir/list"

  private func feed(_ text: String, audio: Bool = false) throws -> Feed {
    try parse(text, base: base, audio: audio)
  }

  // MARK: JSON Feed

  @Test func aJSONFeedIsRead() throws {
    let feed = try feed(
      """
      {"version": "https://jsonfeed.org/version/1.1", "title": "A &amp; B", "language": "en",
       "home_page_url": "/home", "feed_url": "list", "next_url": "list?page=2", "items": [
        {"id": 7, "title": "One", "date_published": "2026-05-01T10:00:00Z", "url": "/one",
         "image": "one.jpg", "attachments": [
          {"url": "one.mp4", "mime_type": "video/mp4", "size_in_bytes": "300000",
           "duration_in_seconds": 61.5},
          {"url": "one.webm", "mime_type": "video/webm"}]},
        {"id": "b", "title": 5, "attachments": {"url": "no"}},
        {"id": " ", "attachments": [{"url": "c.mp4", "mime_type": "video/mp4"}]},
        "no item at all"]}
      """)
    #expect(feed.kind == .jsonfeed && feed.title == "A & B" && feed.language == "en")
    #expect(feed.url == "https://h.org/home" && feed.next == ["https://h.org/dir/list?page=2"])
    let one = try #require(feed.entries.first)
    #expect(one.id == "7" && one.idSource == .guid && one.published == 1_777_629_600)
    #expect(one.media?.url == "https://h.org/dir/one.mp4" && one.media?.length == 300_000)
    #expect(one.duration == 61.5 && one.alternates.map(\.url) == ["https://h.org/dir/one.webm"])
    #expect(one.thumbnail == "https://h.org/dir/one.jpg" && one.link == "https://h.org/one")
    #expect(feed.entries.dropFirst().allSatisfy { $0.skipped != nil })
  }

  @Test func aPageIsNotItsOwnNextPage() throws {
    let text = """
      {"version": "https://jsonfeed.org/version/1", "feed_url": "https://h.org/f",
       "next_url": "https://h.org/f", "items": []}
      """
    #expect(try feed(text).next.isEmpty)
  }

  @Test(arguments: [
    "{\"version\":\"https://jsonfeed.org/version/1\",\"title\":\"a\u{1}b\",\"x\":NaN,\"items\":[]}",
    "\u{FEFF}{\"version\":\"https://jsonfeed.org/version/1\",\"title\":\"a b\",\"items\":[]}",
  ]) func brokenJSONIsRepaired(text: String) throws {
    #expect(try feed(text).title == "a b")
  }

  @Test func aTextThatIsTooLongIsCutAndThatIsTold() throws {
    let long = String(repeating: "x", count: 3 << 20)
    for text in [
      "{\"version\":\"https://jsonfeed.org/version/1\",\"title\":\"\(long)\",\"items\":[]}",
      "#EXTM3U\n#PLAYLIST:\(long)\na.mp4\n", "<rss><channel><title>\(long)</title></channel></rss>",
      "<rss><channel><title><![CDATA[\(long)]]></title></channel></rss>",
    ] {
      let feed = try feed(text)
      #expect(feed.title.hasPrefix("xx") && feed.title.utf8.count < 5 << 18)
      #expect(feed.diagnostics == ["texts of more than 1 MB were cut"])
    }
  }

  @Test func deepJSONIsRefusedAtOnce() {
    let text = String(repeating: "[", count: 100_000)
    #expect(throws: FeedError.self) { try feed(text) }
  }

  // MARK: Lists

  @Test func anM3UListIsRead() throws {
    let feed = try feed(
      """
      #EXTM3U\r
      #PLAYLIST:My list\r
      #EXTINF:61.5 tvg-logo="logo.png" group="a,b",One, and more\r
      one.mp4\r
      #EXTVLCOPT:network-caching=1000\r
      \r
      http://other.org/two%20words.webm\r
      /etc/passwd.mp4\r
      file:///etc/secret.mp4\r
      """)
    #expect(feed.kind == .m3u && feed.title == "My list")
    #expect(feed.entries.map(\.title) == ["One, and more", "two words", "passwd", "secret"])
    #expect(feed.entries[0].duration == 61.5)
    #expect(feed.entries[0].thumbnail == "https://h.org/dir/logo.png")
    #expect(
      feed.entries.map(\.media?.url) == [
        "https://h.org/dir/one.mp4", "http://other.org/two%20words.webm",
        "https://h.org/etc/passwd.mp4", nil,
      ])
    #expect(feed.entries[3].skipped?.contains("file:") == true)
  }

  @Test func bareAddressesAreAList() throws {
    let feed = try feed("# mine\nhttps://h.org/a.mp4\nb.mkv\n")
    #expect(feed.kind == .m3u)
    #expect(
      feed.entries.compactMap(\.media?.url) == ["https://h.org/a.mp4", "https://h.org/dir/b.mkv"])
  }

  @Test(arguments: [
    "#EXTM3U\n#EXT-X-TARGETDURATION:6\n", "#EXTM3U\n#EXT-X-STREAM-INF:A=1\na.m3u8\n",
  ])
  func aStreamIsNoList(text: String) throws {
    #expect(try feed(text).kind == .stream)
  }

  @Test func anXSPFListIsRead() throws {
    let feed = try feed(
      """
      <playlist version="1" xmlns="http://xspf.org/ns/0/" xml:base="https://x.org/v/"><title>L</title>
      <trackList><track><location>a.mp4</location><location>b.webm</location><title>One</title>
      <identifier>id-1</identifier><duration>61500</duration><image>a.jpg</image></track>
      <track><location>ipfs://no</location></track></trackList></playlist>
      """)
    #expect(feed.kind == .xspf && feed.title == "L")
    #expect(feed.entries[0].id == "id-1" && feed.entries[0].duration == 61.5)
    #expect(feed.entries[0].media?.url == "https://x.org/v/a.mp4")
    #expect(feed.entries[0].alternates.map(\.url) == ["https://x.org/v/b.webm"])
    #expect(feed.entries[1].skipped != nil)
  }

  @Test func anOPMLListNamesItsFeeds() throws {
    let feed = try feed(
      """
      <?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body>
      <outline text="Folder"><outline text="A &amp; B" xmlUrl="https://a.org/f"/>
      <outline title="T" text="t" xmlUrl="/b"/></outline>
      <outline text="again" xmlUrl="https://a.org/f"/><outline xmlUrl="ftp://no"/>
      <outline text="a page" url="https://a.org/"/></body></opml>
      """)
    #expect(feed.kind == .opml && feed.title == "Mine")
    #expect(
      feed.feeds == [
        FeedLink(url: "https://a.org/f", title: "A & B", folder: "Folder"),
        FeedLink(url: "https://h.org/b", title: "T", folder: "Folder"),
      ])
    #expect(feed.entries.map(\.skipped) == ["feed", "feed"] && feed.diagnostics.count == 1)
  }

  @Test func aDamagedListIsRepaired() throws {
    let opml = try feed(
      "<opml><body><outline text='A & B' xmlUrl='https://a.org/f?x=1&y=2'>"
        + String(repeating: "<outline text='x'>", count: 400)
        + "<outline xmlUrl='https://too.deep/'/></body></opml>")
    #expect(opml.feeds == [FeedLink(url: "https://a.org/f?x=1&y=2", title: "A & B")])
    #expect(opml.recovered && !opml.diagnostics.isEmpty)
    let list = try feed(
      "<playlist><trackList><track><location>a.mp4?x&y</location><track><location>b.mp4</location>")
    #expect(
      list.entries.map(\.media?.url) == ["https://h.org/dir/a.mp4?x&y", "https://h.org/dir/b.mp4"])
  }

  // MARK: Directories

  static let listings: [String] = [
    // nginx
    """
    <html><head><title>Index of /dir/</title></head><body><h1>Index of /dir/</h1><hr><pre>\
    <a href="../">../</a>
    <a href="sub/">sub/</a>                   01-May-2026 10:00       -
    <a href="a%20talk.mp4">a talk.mp4</a>     01-May-2026 10:00   12345
    <a href="a%20talk.en.vtt">a talk.en.vtt</a>  01-May-2026 10:00   99
    <a href="notes.txt">notes.txt</a>         01-May-2026 10:00       1
    </pre><hr></body></html>
    """,
    // Apache
    """
    <!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN"><html><head><title>Index of /dir</title>
    </head><body><h1>Index of /dir</h1><table><tr><th><a href="?C=N;O=D">Name</a></th></tr>
    <tr><td><a href="/">Parent Directory</a></td><td>&nbsp;</td></tr>
    <tr><td><a href="a%20talk.mp4">a talk.mp4</a></td><td align="right">2026-05-01 10:00  </td>
    <td align="right"> 12K</td></tr><tr><td><a href="a%20talk.en.vtt">a talk.en.vtt</a></td></tr>
    </table></body></html>
    """,
    // lighttpd
    """
    <?xml version="1.0" encoding="utf-8"?>
    <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">
    <html xmlns="http://www.w3.org/1999/xhtml"><head><title>Index of /dir/</title></head><body>
    <table><tbody><tr class="d"><td class="n"><a href="../">..</a>/</td><td class="m">&nbsp;</td></tr>
    <tr><td class="n"><a href="a%20talk.mp4">a talk.mp4</a></td>
    <td class="m">2026-May-01 10:00:00</td><td class="s">11.4M</td></tr>
    <tr><td class="n"><a href="a%20talk.en.vtt">a talk.en.vtt</a></td></tr></tbody></table></body></html>
    """,
    // Caddy
    """
    <!DOCTYPE html><html><head><title>dir</title></head><body><header><h1><a href="/">/</a>
    <a href="/dir/">dir</a></h1></header><table><tr><td><a href="./sub/"><span>sub</span></a></td></tr>
    <tr class="file"><td><a href="./a%20talk.mp4"><svg><use/></svg> <span class="name">a talk.mp4</span>
    </a></td><td class="size">11 MiB</td><td><time datetime="2026-05-01T10:00:00Z">2026-05-01 10:00</time>
    </td></tr><tr><td><a href="./a%20talk.en.vtt"><span>a talk.en.vtt</span></a></td></tr></table></body></html>
    """,
    // nginx, autoindex_format xml
    """
    <?xml version="1.0"?><list><directory mtime="2026-05-01T10:00:00Z">sub</directory>
    <file mtime="2026-05-01T10:00:00Z" size="12345">a talk.mp4</file>
    <file mtime="2026-05-01T10:00:00Z" size="99">a talk.en.vtt</file></list>
    """,
    // Python
    """
    <!DOCTYPE HTML><html lang="en"><head><title>Directory listing for /dir/</title></head><body>
    <h1>Directory listing for /dir/</h1><hr><ul><li><a href="a%20talk.mp4">a talk.mp4</a></li>
    <li><a href="a%20talk.en.vtt">a talk.en.vtt</a></li><li><a href="sub/">sub/</a></li></ul></body>
    """,
    // nginx, autoindex_format json
    """
    [{"name":"sub","type":"directory","mtime":"Fri, 01 May 2026 10:00:00 GMT"},
     {"name":"a talk.mp4","type":"file","mtime":"Fri, 01 May 2026 10:00:00 GMT","size":12345},
     {"name":"a talk.en.vtt","type":"file","mtime":"Fri, 01 May 2026 10:00:00 GMT","size":99}]
    """,
  ]

  @Test(arguments: listings) func aListingOfFilesIsAFeedOfItsMedia(text: String) throws {
    let feed = try parse(text, base: "https://h.org/dir/")
    #expect(feed.kind == .index)
    let entry = try #require(feed.entries.first)
    #expect(feed.entries.count == 1 && entry.title == "a talk")
    #expect(entry.media?.url == "https://h.org/dir/a%20talk.mp4")
    #expect(entry.subtitles.map(\.lang) == ["en"])
    let isPython = text.contains("Directory listing")
    #expect(entry.published == (isPython ? nil : 1_777_629_600))
    let isExact = text.contains("12345")
    #expect(entry.media?.length == (isExact ? 12345 : nil))
  }

  @Test func aPageNamesItsFeed() throws {
    let feed = try feed(
      """
      <!-- hi --><!doctype html><html><head><base href="https://b.org/x/"><title>Blog</title>
      <link rel="stylesheet" href="s.css"><link REL="alternate" type="application/rss+xml"
      title="All" href='feed.xml'></head><body><a href="a.mp4">a.mp4</a></body></html>
      """)
    #expect(feed.kind == .index && feed.entries.isEmpty)
    #expect(feed.feeds == [FeedLink(url: "https://b.org/x/feed.xml", title: "All")])
    #expect(feed.diagnostics == ["the page names a feed: https://b.org/x/feed.xml"])
  }

  /// Links identify a listing whose title does not.
  @Test func aPageOfFileNamesIsAListing() throws {
    let page = "<html><title>files</title><body><a href='/about'>About</a>"
    let names = (1...3).map { "<p><a href='v\($0).webm'>v\($0).webm</a></p>" }.joined()
    #expect(try feed(page + names).entries.count == 3)
    #expect(throws: FeedError.self) {
      try feed(page + "<a href='/a'>A</a><a href='/b'>B</a><a href='v.webm'>v.webm</a>")
    }
  }

  @Test func aPageThatNamesNoneIsNoFeed() {
    #expect(throws: FeedError.notAFeed(looksLike: "an HTML page")) {
      try feed("<!DOCTYPE html><html><body><a href='x.mp4'>watch</a></body></html>")
    }
  }

  @Test(arguments: ["<a href='", "<a <a <a ", "<!-- ", "<script>", "<a x='\"", "</"])
  func anHTMLPageIsReadInLinearTime(piece: String) {
    let text = "<html>" + String(repeating: piece, count: 200_000)
    #expect(throws: FeedError.self) { try feed(text) }
  }

  // MARK: Choices

  @Test func thePictureIsNoLargerThanWanted() throws {
    let text = rss(
      "<item><guid>a</guid>"
        + [2160, 480, 1080].map {
          "<media:content url='http://x/\($0).mp4' type='video/mp4' height='\($0)'/>"
        }.joined() + "</item>", root: podcastRoot)
    for (most, height) in [(nil, 2160), (1080, 1080), (720, 480), (100, 480)] as [(Int?, Int)] {
      var choice = MediaChoice()
      choice.maxHeight = most
      let feed = try FeedParser.parse(Array(text.utf8), base: "http://x/", choice: choice)
      #expect(feed.entries[0].media?.height == height)
    }
  }
}
