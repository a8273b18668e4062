import Testing

@testable import FeedReading

/// Entries whose media only their text names.
@Suite(.timeLimit(.minutes(1)))
struct TextMediaTests {
  private static let base = "https://feed.example/blog/rss.xml"
  private static let link = "<link>https://www.example/posts/1/</link>"

  private static func rss(_ item: String) -> String {
    """
    <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
    xmlns:media="http://search.yahoo.com/mrss/"><channel>\(item)</channel></rss>
    """
  }

  private static func escaped(_ html: String) -> String {
    html.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }

  private func entry(
    _ document: String, _ choice: MediaChoice = MediaChoice()
  ) throws -> Entry {
    let feed = try FeedParser.parse(Array(document.utf8), base: Self.base, choice: choice)
    return try #require(feed.entries.first)
  }

  /// The same text in each place where feeds have one.
  private static func documents(_ html: String, link: String = link) -> [String] {
    let address = link.isEmpty ? "" : "<link href='https://www.example/posts/1/'/>"
    let json = html.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    let page = link.isEmpty ? "" : #""url":"https://www.example/posts/1/","#
    return [
      rss("<item>\(link)<description>\(escaped(html))</description></item>"),
      rss("<item><description><![CDATA[\(html)]]></description>\(link)</item>"),
      rss(
        "<item>\(link)<description>A</description><content:encoded><![CDATA[\(html)]]></content:encoded></item>"
      ),
      "<feed xmlns='http://www.w3.org/2005/Atom'><entry>\(address)<content type='html'>\(escaped(html))</content></entry></feed>",
      "<feed xmlns='http://www.w3.org/2005/Atom'><entry><summary type='html'><![CDATA[\(html)]]></summary>\(address)</entry></feed>",
      #"{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1",\#(page)"content_html":"\#(json)"}]}"#,
    ]
  }

  @Test(arguments: [
    (#"<p>A</p><video src="https://v.example/1.mp4" controls></video>"#, "https://v.example/1.mp4"),
    ("<VIDEO controls><SOURCE src='2.webm'></VIDEO>", "https://www.example/posts/1/2.webm"),
    (
      #"<video><source src="/a.mp4?x=1&amp;y=2" type="video/mp4"></video>"#,
      "https://www.example/a.mp4?x=1&y=2"
    ),
    (
      #"<video><source src="/low.mp4" size="360"><source src="/high.mp4" size="720"></video>"#,
      "https://www.example/high.mp4"
    ),
    ("<video src='/live.m3u8'></video><video src='/3.mp4'></video>", "https://www.example/3.mp4"),
    // The first of several is the entry's.
    (
      "<video src='/1-360p.mp4'></video><video src='/2-1080p.mp4'></video>",
      "https://www.example/1-360p.mp4"
    ),
    ("<audio src='/s.mp3'></audio><video src='/v.mp4'></video>", "https://www.example/v.mp4"),
    ("<video src='/play?id=7'></video>", "https://www.example/play?id=7"),
    ("<video src='/open.mp4'>", "https://www.example/open.mp4"),
    ("<video src='/film.m3u8'></video>", "https://www.example/film.m3u8"),
  ])
  func anEntryIsTheFileThatItsTextNames(html: String, url: String) throws {
    for document in Self.documents(html) { #expect(try entry(document).media?.url == url) }
  }

  @Test(arguments: [
    "<video></video>", "<video src=''></video>", "<video src='javascript:alert(1)'></video>",
    "<video src='file:///etc/passwd'></video>", "<video src='blob:https://www.example/1'></video>",
    "<video src='/list.m3u'></video>", "<video src='/film.torrent'></video>",
    "<pre>&lt;video src='/1.mp4'&gt;</pre>", "<!-- <video src='/1.mp4'> -->",
    "<script>'<video src=/1.mp4>'</script>", "<picture><source src='/1.mp4'></picture>",
    "<img src='/1.mp4'>", "a <videography src='/1.mp4'> b", "<audio src='/s.mp3'></audio>",
    "<meta property='og:video' content='/1.mp4'><video></video>",
    "<base href='https://elsewhere.example/'><video></video>",
  ])
  func nothingElseInATextIsAFile(html: String) throws {
    for document in Self.documents(html) {
      let entry = try entry(document)
      #expect(entry.media == nil)
      #expect(entry.skipped != nil)
    }
  }

  @Test func soundInATextIsToldWithTheOptionThatTakesIt() throws {
    var choice = MediaChoice()
    choice.audio = true
    for document in Self.documents("<audio><source src='/play?id=7'></audio>") {
      #expect(try entry(document).option == Omission.audioOnly.option)
      let media = try #require(try entry(document, choice).media)
      #expect(MediaType.fileExtension(of: media) == "mp3")
    }
  }

  @Test func withoutALinkAddressesBelongToTheFeed() throws {
    for document in Self.documents("<video src='1.mp4'></video>", link: "") {
      #expect(try entry(document).media?.url == "https://feed.example/blog/1.mp4")
    }
  }

  @Test func inlineXHTMLIsReadLikeHTML() throws {
    let entry = try entry(
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><entry><title>T</title><link href="https://www.example/1/"/><content type="xhtml">
      <div xmlns="http://www.w3.org/1999/xhtml"><pre>&lt;video src="no.mp4"&gt;&lt;/video&gt;</pre><video poster="p.jpg" width="3"><source src="a.mp4?x=1&amp;y=2"/>
      <track kind="subtitles" src="a.vtt" srclang="de"/></video><video src="b.mp4"/></div></content></entry></feed>
      """)
    #expect(entry.media?.url == "https://www.example/1/a.mp4?x=1&y=2")
    #expect(entry.alternates.isEmpty)
    #expect(entry.thumbnail == "https://www.example/1/p.jpg")
    #expect(entry.subtitles.map(\.url) == ["https://www.example/1/a.vtt"])
  }

  @Test func aPlainTextThatSpeaksOfTagsNamesNothing() throws {
    for type in ["", " type='text'", " type='text/plain'"] {
      let text = Self.escaped("<video src='/1.mp4'></video>")
      let entry = try entry(
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><content\(type)>\(text)</content></entry></feed>"
      )
      #expect(entry.media == nil)
    }
  }

  @Test(arguments: [
    "<enclosure url='https://v.example/e.mp4' type='video/mp4'/>",
    "<media:content url='https://v.example/e.mp4'/>",
    "<enclosure url='https://v.example/e.mp3' type='audio/mpeg'/>",
  ])
  func anEnclosureCountsMoreThanTheText(enclosure: String) throws {
    let text = Self.escaped("<video src='/1-1080p.mp4'></video>")
    let other = "<item><title>Without</title></item>"
    for parts in [
      "\(enclosure)<description>\(text)</description>",
      "<description>\(text)</description>\(enclosure)",
    ] {
      let entry = try entry(Self.rss("<item>\(Self.link)\(parts)</item>\(other)"))
      let offered = [entry.media].compactMap(\.self) + entry.alternates
      #expect(offered.count == 1 && offered.allSatisfy { $0.url.contains("/e.mp") })
    }
  }

  @Test(arguments: [
    "<media:content url='/avatar.png' medium='image'/>", "<enclosure url='/f.torrent'/>",
  ])
  func thePicturesOfAnEntryDoNotHideTheFileInItsText(other: String) throws {
    let text = Self.escaped("<video src='/1.mp4'></video>")
    let entry = try entry(
      Self.rss("<item>\(Self.link)\(other)<description>\(text)</description></item>"))
    #expect(entry.media?.url == "https://www.example/1.mp4")
  }

  @Test func aFileInTheTextCountsMoreThanThePageOfTheEntry() throws {
    var choice = MediaChoice()
    choice.pages = true
    for document in Self.documents("<video src='/1.mp4'></video>") {
      #expect(try entry(document, choice).media?.isPage == false)
    }
    for document in Self.documents("<audio src='/1.mp3'></audio>") {
      #expect(try entry(document, choice).media?.isPage == true)
    }
  }

  @Test func theTextDoesNotNameTheEntry() throws {
    for link in ["", Self.link] {
      let texts = ["nothing", "<video src='/1.mp4'></video>", "<video src='/2.mp4'></video>"]
      let ids = try texts.map { text in
        try entry(
          Self.rss(
            "<item><title>A</title>\(link)<description>\(Self.escaped(text))</description></item>")
        ).id
      }
      #expect(Set(ids).count == 1)
    }
  }

  @Test func titlesAreTheSameWhetherTextsAreReadOrNot() throws {
    let items = [
      "<item><description>One. Two</description></item>",
      "<item><title>T</title><description>One</description></item>",
      "<item><description>One</description><title>T</title></item>",
      "<item><description><p xmlns='x'>One</p> two</description></item>",
      "<item><description>\(String(repeating: "word ", count: 1000))</description></item>",
    ]
    let film =
      "<item><title>F</title><description>\(Self.escaped("<video src='/1.mp4'></video>"))</description></item>"
    for item in items {
      #expect(try entry(Self.rss(item)).title == entry(Self.rss(item + film)).title)
    }
  }

  @Test func eachEntryHasTheMediaOfItsOwnText() throws {
    let film = Self.escaped("<video src='/1.mp4'></video>")
    for end in ["</item>", ""] {
      let feed = try FeedParser.parse(
        Array(
          Self.rss(
            "<item><title>A</title>\(end)<item><title>B</title><description>\(film)</description></item>"
          ).utf8),
        base: Self.base)
      let titles = feed.entries.filter { $0.media != nil }.map(\.title)
      #expect(titles == ["B"])
    }
  }

  @Test func aLongTextIsReadInTimeLinearInItsLength() throws {
    let text = String(repeating: "<video><source src=x><video ", count: 30_000)
    for document in Self.documents(text) { _ = try entry(document) }
    let tags = String(repeating: "<video><source src='x.mp4'/>", count: 30_000)
    let ends = String(repeating: "</video>", count: 30_000)
    #expect(throws: Never.self) {
      try FeedParser.parse(
        Array(Self.rss("<item><description>\(tags)\(ends)</description></item>").utf8),
        base: Self.base)
    }
  }
}
