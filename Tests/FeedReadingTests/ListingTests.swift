import Testing

@testable import FeedReading

/// Pages of servers that list their files, and pages that only look like listings.
@Suite(.timeLimit(.minutes(1)))
struct ListingTests {
  private func feed(_ text: String, base: String = "https://h.org/v/") throws -> Feed {
    try parse(text, base: base)
  }

  @Test func onlyFilesOfTheSameFolderAreEntries() throws {
    let links = [
      "a.mp4", "./b.mp4", "/v/c.mp4", "../v/d.mp4", "HTTPS://H.org/v/e.mp4", "/%76/f.mp4",
      "sub/no.mp4", "../no.mp4", "/no.mp4", "//evil.org/v/no.mp4", "https://evil.org/v/no.mp4",
      "http://h.org/v/no.mp4", "no.mp4?C=N", "javascript:no.mp4", "mailto:a@b.mp4", "sub.mp4/", "",
    ]
    let page = links.map { "<a href='\($0)'>x</a>\n" }.joined()
    let feed = try feed("<html><title>Index of /v/</title><pre>\(page)</pre>")
    #expect(feed.entries.map(\.title) == ["a", "b", "c", "d", "e", "f"])
    #expect(feed.entries.allSatisfy { $0.media?.url.hasPrefix("https://h.org/") == true })
  }

  /// Apache with IconsAreLinks, and a truncated name.
  @Test func aPictureThatIsALinkTooCostsNoDate() throws {
    let feed = try feed(
      """
      <html><head><title>Index of /v</title></head><body><pre><a href="?C=M;O=A">Last modified</a><hr>
      <a href="a%20very%20long.mp4"><img src="m.gif" alt="[VID]"></a> <a href="a%20very%20long.mp4">a very \
      lo..&gt;</a> 2026-05-01 10:00   12M
      <a href="b.mp4"><img src="m.gif" alt="[VID]"></a> <a href="b.mp4">b.mp4</a> 2026-05-02 10:00  973
      </pre></body></html>
      """)
    #expect(feed.entries.map(\.title) == ["a very long", "b"])
    #expect(feed.entries.map(\.published) == [1_777_629_600, 1_777_716_000])
    #expect(feed.entries.map(\.media?.length) == [nil, 973])
  }

  /// The form of http-server for Node.js.
  @Test func aDateMayStandBeforeTheName() throws {
    let rows = (1...2).map {
      """
      <tr><td><i></i></td><td><code>(-rw-r--r--)</code></td><td>0\($0)-May-2026 10:00</td><td><code>\
      11.4M</code></td><td><a href="./\($0).mp4">\($0).mp4</a></td></tr>
      """
    }
    let feed = try feed("<!doctype html><title>Index of /v/</title><table>\(rows.joined())</table>")
    #expect(feed.entries.map(\.published) == [1_777_629_600, 1_777_716_000])
  }

  /// Caddy, at the root of a site: no parent folder, and links that sort the page.
  @Test func aDateMayBeThatOfAMachine() throws {
    let feed = try feed(
      """
      <!DOCTYPE html><html><head><title>/</title></head><body><h1><a href="/">/</a></h1><table><tr>
      <th><a href="?sort=name">Name</a></th><th><a href="?sort=size">Size</a></th>
      <th><a href="?sort=time">Modified</a></th></tr><tr><td><a href="./a.mp4"><svg></svg>
      <span>a.mp4</span></a></td><td><div>11 MiB</div></td><td><time datetime="2026-05-01T10:00:00Z">
      05/01/2026 10:00:00 AM +00:00</time></td></tr></table>
      Served with <a href="https://caddyserver.com">Caddy</a></body></html>
      """, base: "https://h.org/")
    #expect(feed.entries.map(\.published) == [1_777_629_600])
  }

  /// The form of Go's file server.
  @Test func aListingMayBeginWithoutAHead() throws {
    let feed = try feed(
      "<pre>\n<a href=\"a%20b.mp4\">a b.mp4</a>\n<a href=\"sub/\">sub/</a>\n</pre>\n")
    #expect(feed.kind == .index && feed.entries.map(\.title) == ["a b"])
  }

  @Test(
    arguments: [
      ("01-May-2026 10:00   12345", 12345), ("2026-05-01 10:00  12K", nil),
      ("2026-05-01 10:00 12 MiB", nil),
      ("2026-05-01 10:00 973 &nbsp;", 973), ("2026-05-01 10:00 -", nil),
      ("2026-05-01 10:00 0", nil),
    ] as [(String, Int?)])
  func onlyAnExactSizeIsOne(columns: String, size: Int?) throws {
    let feed = try feed(
      "<title>Index of /</title><pre><a href='a.mp4'>a.mp4</a>  \(columns)\n</pre>")
    #expect(feed.entries.map(\.published) == [1_777_629_600])
    #expect(feed.entries[0].media?.length ?? 0 == size ?? 0)
  }

  /// A rounded size is never taken for an exact one. The least size that it may stand for is told.
  @Test(
    arguments: [
      ("01-May-2026 10:00 190M", 198_705_152), ("2026-May-01 10:00:00 1.1M", 1_101_004),
      ("2026-05-01 10:00 68.3K", 69_888), ("2026-05-01 10:00 68 KiB", 69_120),
      ("2026-05-01 10:00 1,5 MB", 1_450_000), ("1.2 MiB 2026-05-01T10:00:00Z", 1_205_862),
      ("2026-05-01 10:00 12345", nil), ("2026-05-01 10:00 7 B", nil), ("2026-05-01 10:00 -", nil),
      ("2026-05-01 10:00 12Q", nil), ("2026-05-01 10:00 99999999T", nil),
    ] as [(String, Int?)])
  func aRoundedSizeIsAnEstimate(columns: String, least: Int?) throws {
    let feed = try feed(
      "<title>Index of /</title><pre><a href='a.mp4'>a.mp4</a>  \(columns)\n</pre>")
    #expect(feed.entries[0].media?.roundedLength == least)
    if least != nil { #expect(feed.entries[0].media?.length == nil) }
  }

  /// Caddy shows a rounded size, and has the exact one as an attribute. Other cells have such numbers,
  /// too.
  @Test(
    arguments: [
      ("data-order=\"1234567\">1.2 MiB", 1_234_567),
      ("data-size=\"199263012\"><div><div></div><div>190 MiB</div></div>", 199_263_012),
      ("data-order=\"1234567\">7.2 MiB", nil), ("data-order=\"1767225600\">2026-05-01 10:00", nil),
      ("data-order=\"-1\">1.2 MiB", nil), ("data-order=\"x\">1.2 MiB", nil),
    ] as [(String, Int?)])
  func anExactSizeMayBeAnAttribute(cell: String, size: Int?) throws {
    let feed = try feed(
      """
      <title>Index of /</title><table><tr><td><a href="./a.mp4">a.mp4</a></td>
      <td \(cell)</td><td><time datetime="2026-05-01T10:00:00Z">x</time></td></tr></table>
      """)
    #expect(feed.entries[0].media?.length == size)
    #expect(feed.entries[0].published == 1_777_629_600)
  }

  @Test func subtitlesGoByTheWholeNameFirst() throws {
    let names = [
      "dr.who.mp4", "dr.who.srt", "dr.who.pt-BR.vtt", "dr.mp4", "dr.en.vtt", "x.mp4",
      "x.forced.srt",
      "My Talk.webm", "My Talk.SRT",
    ]
    let page = names.map { "<a href=\"\($0)\">\($0)</a>\n" }.joined()
    let feed = try feed("<title>Index of /v/</title><pre>\(page)</pre>")
    #expect(
      feed.entries.map { $0.subtitles.map(\.lang) } == [[nil, "pt-BR"], ["who", "en"], [], [nil]])
  }

  @Test func whereTheAddressOfTheListingIsNotKnownItsFilesSaySo() throws {
    for text in [
      "<title>Index of /v/</title><a href='a.mp4'>a.mp4</a>",
      "<list><file mtime='2026-05-01T10:00:00Z'>a.mp4</file></list>",
      #"[{"name": "a.mp4", "type": "file", "mtime": "Fri, 01 May 2026 10:00:00 GMT", "size": 5}]"#,
    ] {
      let entry = try #require(feed(text, base: "").entries.first)
      #expect(entry.title == "a" && entry.skipped?.contains("relative") == true)
    }
  }

  @Test func aListingDoesNotMoveToAnotherHost() throws {
    let page =
      "<title>Index of /v/</title><base href='https://evil.org/v/'><a href='a.mp4'>a.mp4</a>"
    #expect(try feed(page).entries.isEmpty)
    #expect(try feed(page, base: "").entries.map(\.media?.url) == ["https://evil.org/v/a.mp4"])
  }

  // MARK: Pages

  /// A licence in a comment is no feed, and neither is a custom element of the page.
  @Test(arguments: [
    "<html><!-- <rdf:RDF xmlns='http://web.resource.org/cc/'></rdf:RDF> -->", "<html><feed-back/>",
    "<!-- \(String(repeating: "x", count: 5000)) --><html>",
    "<!DOCTYPE html><meta charset='utf-8'>",
  ])
  func aPageNamesItsFeedWhateverElseItHolds(beginning: String) throws {
    let feed = try feed(
      beginning + "<link rel='alternate' type='application/rss+xml' href='/f'></html>")
    #expect(feed.feeds.map(\.url) == ["https://h.org/f"])
  }

  @Test(arguments: [
    "<!DOCTYPE html>", "<br />\n<b>Warning</b>: x<br />", "<p>x</p>", "<!-- html -->",
  ])
  func aFeedBehindWhatLooksLikeAPageIsRead(beginning: String) throws {
    let feed = try feed(beginning + "<rss><channel><item><guid>a</guid></item></channel></rss>")
    #expect(feed.kind == .rss && feed.entries.map(\.id) == ["a"])
  }

  @Test func onePageNamesFewFeeds() throws {
    let links = (0..<5_000).map { "<link rel=alternate type=text/xml href=/\($0)>" }.joined()
    #expect(try feed("<html>" + links).feeds.count == 100)
  }

  @Test func aLongBaseIsNotRepeatedInEachAddress() throws {
    let long = String(repeating: "a", count: 60_000)
    let page = String(repeating: "<a href=a.mp4>a.mp4</a>", count: 2_000)
    #expect(try feed("<title>Index of /</title><base href='/\(long)/'>\(page)").entries.count == 1)
    let items = (0..<2_000).map { "<item><guid>\($0)</guid><enclosure url='\($0).mp4'/></item>" }
    let rss = try feed(
      "<rss xml:base='https://h.org/\(long)/'><channel>\(items.joined())</channel></rss>")
    #expect(rss.entries.last?.media?.url == "https://h.org/v/1999.mp4")
  }
}
