import Testing

@testable import FeedReading

/// Show notes, as plain text.
@Suite(.timeLimit(.minutes(1)))
struct ShowNotesTests {
  private static let texts: [(String, String)] = [
    ("Plain text.", "Plain text."),
    ("Two\nlines\n\n\n\nand a gap\n", "Two\nlines\n\nand a gap"),
    ("<p>One</p><p>Two</p>", "One\n\nTwo"),
    ("<p>A line\nthat goes   on</p>", "A line that goes on"),
    ("One<br>Two<br/>Three", "One\nTwo\nThree"),
    ("<ul><li>a</li><li>b &amp; c</li></ul>", "a\n\nb & c"),
    ("See <a href=\"http://x/\">here</a>\nand there", "See here\nand there"),
    ("&lt;p&gt;Twice&lt;/p&gt;&lt;p&gt;escaped&lt;/p&gt;", "Twice\n\nescaped"),
    ("2 &lt; 3 and the <video> tag", "2 < 3 and the <video> tag"),
    ("\u{1B}[31mred\u{202E}", "[31mred"),
    ("", ""), ("<p></p>", ""),
  ]

  private static let root = """
    <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" \
    xmlns:content="http://purl.org/rss/1.0/modules/content/" \
    xmlns:media="http://search.yahoo.com/mrss/">
    """

  @Test(arguments: texts)
  func notesBecomePlain(raw: String, plain: String) {
    #expect(ShowNotes.text(of: raw) == plain)
  }

  @Test func aTagThatWasCutIsLeftOut() {
    let raw = String(repeating: "a", count: ShowNotes.maxBytes - 20) + "<a href=\"http://exam"
    #expect(ShowNotes.text(of: raw) == String(repeating: "a", count: ShowNotes.maxBytes - 20))
  }

  @Test(
    arguments: [
      (
        "<description>short</description><content:encoded>the longer one</content:encoded>",
        "the longer one"
      ),
      ("<itunes:summary>of iTunes</itunes:summary>", "of iTunes"),
      (
        "<media:group><media:description>of Media RSS</media:description></media:group>",
        "of Media RSS"
      ),
      (
        "<media:content url=\"http://x/b.mp4\"><media:title>no note</media:title></media:content>",
        nil
      ),
      ("<description/>", nil),
    ] as [(String, String?)])
  func theLongestTextOfAnItemCounts(elements: String, notes: String?) throws {
    let feed = try parse(
      rss(
        "<item><guid>a</guid>\(elements)<enclosure url=\"http://x/a.mp4\" type=\"video/mp4\"/></item>",
        root: Self.root))
    #expect(feed.entries.first?.notes == notes)
  }

  @Test func otherFormatsHaveNotesToo() throws {
    let atom = """
      <feed xmlns="http://www.w3.org/2005/Atom"><logo>http://x/logo.png</logo><entry><id>a</id>
      <summary>Short</summary><content type="html">&lt;p&gt;Long one&lt;/p&gt;</content>
      <link rel="enclosure" href="http://x/a.mp4" type="video/mp4"/></entry></feed>
      """
    let feed = try FeedParser.parse(Array(atom.utf8), base: "")
    #expect(feed.entries.first?.notes == "<p>Long one</p>" && feed.cover == "http://x/logo.png")
    let json = """
      {"version": "https://jsonfeed.org/version/1.1", "icon": "http://x/icon.png", "items": [
      {"id": "a", "content_text": "In JSON", "attachments":
      [{"url": "http://x/a.mp4", "mime_type": "video/mp4"}]}]}
      """
    let other = try FeedParser.parse(Array(json.utf8), base: "")
    #expect(other.entries.first?.notes == "In JSON" && other.cover == "http://x/icon.png")
  }

  @Test(
    arguments: [
      ("<image><url>http://x/small.png</url></image>", "http://x/small.png"),
      (
        "<image><url>http://x/small.png</url></image><itunes:image href=\"http://x/large.jpg\"/>",
        "http://x/large.jpg"
      ),
      (
        "<itunes:image href=\"/large.jpg\"/><image><url>/small.png</url></image>",
        "https://example.org/large.jpg"
      ),
      ("<image><url>javascript:1</url></image>", nil),
    ] as [(String, String?)])
  func aFeedHasAPicture(elements: String, cover: String?) throws {
    #expect(try parse(rss(elements, root: Self.root)).cover == cover)
  }

  @Test func aFeedKeepsOnlySoManyNotes() throws {
    let text = String(repeating: "é", count: 3000)
    let items = (0..<3000).map { number in
      "<item><guid>\(number)</guid><description>\(text)</description>"
        + "<enclosure url=\"http://x/\(number).mp4\" type=\"video/mp4\"/></item>"
    }
    let feed = try parse(rss(items.joined()))
    let sizes = feed.entries.map { $0.notes?.utf8.count ?? 0 }
    #expect(sizes.max() == ShowNotes.maxBytes && sizes.first == ShowNotes.maxBytes)
    let room = ShowNotes.room(of: feed.entries.count)
    #expect(sizes.reduce(0, +) <= room + ShowNotes.maxBytes && sizes.last == 0)
    // The memory of a feed with very many entries is needed for the entries.
    #expect(ShowNotes.room(of: 100_000) <= 1 << 20)
  }
}
