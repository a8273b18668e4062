import Testing

@testable import Feeds

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
    let text = rss(String(repeating: "<item/>", count: FeedOutline.mostEntries + 10))
    let feed = try parse(text)
    #expect(feed.entries.count == FeedOutline.mostEntries)
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

  @Test func anyBytesAtAllAreReadOrRefused() throws {
    var state: UInt64 = 1
    func random() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
    let sample = Array(rss(RecoveryTests.two + "<![CDATA[x]]><a b='c'/>&amp;").utf8)
    for _ in 0..<1000 {
      var bytes = sample
      for _ in 0..<(random() % 8 + 1) {
        bytes[Int(random()) % bytes.count] = UInt8(truncatingIfNeeded: random())
      }
      _ = try? FeedParser.parse(bytes, base: "http://x/")
    }
  }
}
