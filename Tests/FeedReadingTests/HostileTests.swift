import TestSupport
import Testing

@testable import FeedReading
@testable import Markup

@Suite(.timeLimit(.minutes(1)))
struct HostileTests {
  @Test func aBillionLaughsAreNotHeard() throws {
    var declarations = "<!ENTITY l0 \"lol\">"
    for level in 1...9 {
      let references = String(repeating: "&l\(level - 1);", count: 10)
      declarations += "<!ENTITY l\(level) \"\(references)\">"
    }
    let feed = try parse(
      "<!DOCTYPE x [\(declarations)]><rss><channel><title>&l9;</title><item><guid>a</guid></item></channel></rss>"
    )
    #expect(feed.title == "&l9;")
    #expect(feed.entries.map(\.id) == ["a"])
  }

  @Test(arguments: [
    #"<!ENTITY x SYSTEM "file:///etc/passwd">"#, #"<!ENTITY x SYSTEM "http://127.0.0.1:9/">"#,
    #"<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;"#, #"<!ENTITY x "secret">"#,
  ])
  func noEntityOfTheDocumentIsEverResolved(declaration: String) throws {
    let feed = try parse(
      """
      <!DOCTYPE r SYSTEM "http://127.0.0.1:9/x.dtd" [ \(declaration) ]>
      <rss><channel><title>[&x;]</title><item><guid>&x;</guid></item></channel></rss>
      """)
    #expect(feed.title == "[&x;]" || feed.title == "[]")
    #expect(feed.entries.count == 1)
  }

  @Test(arguments: [("x", 200_000), ("item", 5_000), ("channel", 5_000)])
  func elementsWithinElementsWithoutEndAreCutOff(name: String, depth: Int) throws {
    let deep = String(repeating: "<\(name)>", count: depth)
    let feed = try parse(rss("<item><guid>a</guid></item>" + deep))
    #expect(feed.entries.first?.id == "a")
    let closed = deep + String(repeating: "</\(name)>", count: depth)
    #expect(try parse(rss("<item><guid>a</guid></item>" + closed)).entries.first?.id == "a")
  }

  @Test func whatFollowsADeepElementIsStillRead() throws {
    let deep = String(repeating: "<x>", count: 1000) + String(repeating: "</x>", count: 1000)
    let feed = try parse(rss("<item><guid>a</guid>\(deep)</item><item><guid>b</guid></item>"))
    #expect(feed.entries.map(\.id) == ["a", "b"])
  }

  @Test(arguments: [
    "<!--", "<![CDATA[", "<a b=\"", "<a b='\"", "<!", "<?", "&", "<a ", "</", "<a b=\"<\" <",
  ])
  func nothingIsLookedForAgainAndAgain(piece: String) throws {
    let feed = try parse(
      rss("<item><guid>a</guid></item>" + String(repeating: piece, count: 10_000)))
    #expect(feed.entries.first?.id == "a")
  }

  @Test func defaultsOfADocumentTypeAreLeftAlone() throws {
    let value = String(repeating: "v", count: 60_000)
    let feed = try parse(
      "<!DOCTYPE rss [<!ATTLIST x a CDATA \"\(value)\">]><rss><channel>"
        + String(repeating: "<x/>", count: 20_000)
        + "<item><guid>a</guid></item></channel></rss>")
    #expect(feed.entries.map(\.id) == ["a"])
  }

  @Test func aTextIsKeptUpToItsLimitAndAnAttributeToo() throws {
    let long = String(repeating: "x", count: 3 << 20)
    let feed = try parse(
      rss(
        "<item><guid>a</guid><title>\(long)</title></item><item><guid>b</guid><enclosure url=\"http://x/\(long)\"/></item>"
      ))
    #expect(feed.entries.map(\.id) == ["a", "b"])
    #expect(feed.entries[0].title.utf8.count <= 2 << 20)
    #expect(feed.entries[1].alternates.isEmpty && feed.entries[1].media == nil)
  }

  @Test func entriesBeyondTheLimitAreNotRead() throws {
    let text = rss(String(repeating: "<item/>", count: XMLLimit.entries + 10))
    let feed = try parse(text)
    #expect(feed.entries.count == XMLLimit.entries)
    #expect(feed.diagnostics.contains { $0.contains("more than 100000 entries") })
  }

  @Test(arguments: [("", 110), ("<title>a & b</title>", 10)])
  func aFeedOfTenMegabytesIsReadRightAndABrokenOneToo(flaw: String, paragraphs: Int) throws {
    let prose = String(repeating: "<p>An &amp;eacute; episode.</p>", count: paragraphs)
      .replacing("<", with: "&lt;")
    let items = (0..<2500).map { number in
      """
      <item><title>É \(number)</title><guid>\(number)</guid><description>\(prose)</description>
      <enclosure url="http://x/\(number).mp4?a=1&amp;b=2" type="video/mp4"/></item>
      """
    }
    let text = rss(flaw + items.joined())
    #expect(text.utf8.count > (flaw.isEmpty ? 10_000_000 : 1_000_000))
    let feed = try parse(text)
    #expect(feed.entries.map(\.id) == (0..<2500).map(String.init))
    #expect(feed.entries.allSatisfy { $0.title == "É \($0.id)" })
    #expect(feed.entries.allSatisfy { $0.media?.url == "http://x/\($0.id).mp4?a=1&b=2" })
    #expect(feed.recovered == !flaw.isEmpty)
  }

  private static let samples =
    FormatTests.listings + [
      rss(RecoveryTests.two + "<![CDATA[x]]><a b='c'/>&amp;"),
      #"{"version":"https://jsonfeed.org/version/1","items":[{"id":1.5e1,"title":"\ud83d\ude00\n","x":[null,true]}]}"#,
      #"{"next":"?a","g":[{"title":"a","sources":["a.mp4",{"src":"b.mp4"}],"size":"5"}]}"#,
      "#EXTM3U\n#PLAYLIST:a\n#EXTINF:5 tvg-logo=\"a,b\",T\n\\a%20.mp4\n",
      "<opml><body><outline text='a'><outline xmlUrl='http://h/'/></outline></body></opml>",
      "<playlist><trackList><track><location>a.mp4</location></track></trackList></playlist>",
    ]

  @Test(arguments: samples) func anyBytesAtAllAreReadOrRefused(text: String) throws {
    var dice = SeededRandom(seed: 1)
    let sample = Array(text.utf8)
    for _ in 0..<200 {
      var bytes = sample
      for _ in 0..<Int.random(in: 1...8, using: &dice) {
        bytes[Int.random(in: bytes.indices, using: &dice)] = .random(in: 0...255, using: &dice)
      }
      if Bool.random(using: &dice) { bytes.removeLast(.random(in: bytes.indices, using: &dice)) }
      _ = try? FeedParser.parse(bytes, base: "http://x/")
    }
  }
}
