import Testing

@testable import FeedReading

/// RFC 3986 §5 and XML Base, observed in a feed's results.
@Suite(.timeLimit(.minutes(1)))
struct XMLBaseTests {
  static let document = "http://example.org/dir/feed.xml"

  /// Bases of the feed, the entry and the link, and the resulting address of "v.mp4".
  @Test(
    arguments: [
      ([nil, nil, nil], "http://example.org/dir/v.mp4"),
      (["http://h/a/b", nil, nil], "http://h/a/v.mp4"),
      (["http://h/a/", "b/", "c/"], "http://h/a/b/c/v.mp4"),
      (["http://h/a/b/c/", "../", "../x"], "http://h/a/v.mp4"),
      (["sub/", nil, nil], "http://example.org/dir/sub/v.mp4"),
      (["/root/", "deep/", nil], "http://example.org/root/deep/v.mp4"),
      (["//other/x/", nil, nil], "http://other/x/v.mp4"),
      (["?q", nil, nil], "http://example.org/dir/v.mp4"),
      (["", nil, nil], "http://example.org/dir/v.mp4"),
      (["http://h/a/", "", nil], "http://h/a/v.mp4"),
      ([" \n http://h/a/ \t", nil, nil], "http://h/a/v.mp4"),
      (["http://h", nil, nil], "http://h/v.mp4"),
      (["http://h/a#part", nil, nil], "http://h/v.mp4"),
      (["HTTP://H/a/", nil, nil], "http://h/a/v.mp4"),
      (["http://h/été/", nil, nil], "http://h/été/v.mp4"),
      (["http://h/a%2Fb/", nil, nil], "http://h/a%2Fb/v.mp4"),
      (["http://h/a b/", nil, nil], "http://h/a%20b/v.mp4"),
      (["http://h/./a/../b/", nil, nil], "http://h/b/v.mp4"),
      (["feed://h/a/", nil, nil], "http://h/a/v.mp4"),
      (["http:sub/", nil, nil], "http://example.org/dir/sub/v.mp4"),
      (["javascript:alert(1)", nil, nil], "http://example.org/dir/v.mp4"),
      (["http://h/a/", "mailto:me@h", "b/"], "http://h/a/b/v.mp4"),
      (["http://h/a/", "https://i/", "j/"], "https://i/j/v.mp4"),
    ] as [([String?], String)])
  func eachBaseIsRelativeToTheOneAround(bases: [String?], address: String) throws {
    let base = bases.map { $0.map { " xml:base=\"\($0)\"" } ?? "" }
    let feed = try parse(
      """
      <feed xmlns="http://www.w3.org/2005/Atom"\(base[0])><entry\(base[1])><id>v.mp4</id>
      <link rel="enclosure" href="v.mp4" type="video/mp4"\(base[2])/></entry>
      <entry><id>next</id></entry></feed>
      """, base: Self.document)
    #expect(feed.entries[0].media?.url == address)
    #expect(feed.entries[0].id == "v.mp4")
  }

  /// RFC 3986 §5.4, through a feed.
  @Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
    (";x", "http://a/b/c/;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"),
    (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
    ("../../", "http://a/"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
    ("/../g", "http://a/g"), ("g..", "http://a/b/c/g.."), ("./g/.", "http://a/b/c/g/"),
    ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http://a/b/c/g"),
  ])
  func aLinkOfAtomIsResolvedInEachPlace(reference: String, address: String) throws {
    let link = "<link href=\"\(reference)\"/>"
    let feed = try parse(
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://a/b/c/d;p?q">\(link)
      <entry><id>1</id>\(link)</entry></feed>
      """, base: Self.document)
    #expect(feed.url == address)
    #expect(feed.entries[0].link == address)
  }

  @Test func eachAddressOfAnItemIsResolved() throws {
    let feed = try parse(
      rss(
        """
        <link>home</link><atom:link rel="next" href="?page=2"/>
        <itunes:new-feed-url>moved.xml</itunes:new-feed-url>
        <item xml:base="http://h/items/"><guid isPermaLink="false">v.mp4</guid>
          <link xml:base="one/"> page </link><enclosure url=" v.mp4 " type="video/mp4"/>
          <media:content url="../v2.mp4" medium="video"/><itunes:image href="/i.jpg"/>
          <media:subTitle href="v.srt" type="application/x-subrip" lang="en"/>
          <podcast:transcript url="v.vtt" type="text/vtt" language="de"/>
          <podcast:chapters url="v.json" type="application/json+chapters"/>
          <podcast:alternateEnclosure type="video/mp4"><podcast:source uri="v3.mp4"/>
          </podcast:alternateEnclosure></item>
        """, root: podcastRoot.replacing("<rss ", with: "<rss xml:base='http://h/feeds/a' ")),
      base: Self.document)
    #expect(feed.url == "http://h/feeds/home")
    #expect(feed.next == ["http://h/feeds/a?page=2"])
    #expect(feed.newURL == "http://h/feeds/moved.xml")
    let entry = try #require(feed.entries.first)
    #expect(entry.id == "v.mp4")
    #expect(entry.link == "http://h/items/one/page")
    #expect(entry.media?.url == "http://h/items/v.mp4")
    #expect(
      Set(entry.alternates.map(\.url)) == ["http://h/v2.mp4", "http://h/items/v3.mp4"])
    #expect(entry.thumbnail == "http://h/i.jpg")
    #expect(entry.subtitles.map(\.url) == ["http://h/items/v.srt", "http://h/items/v.vtt"])
    #expect(entry.chapters == "http://h/items/v.json")
  }

  @Test func aBaseOfTheChannelHoldsForItsItems() throws {
    let feed = try parse(
      """
      <rss version="2.0"><channel xml:base="http://h/c/"><link>.</link>
      <item><link>1</link></item></channel></rss>
      """, base: Self.document)
    #expect(feed.url == "http://h/c/")
    #expect(feed.entries[0].link == "http://h/c/1")
  }

  @Test func withoutTheAddressOfTheDocumentAnAbsoluteBaseIsEnough() throws {
    let feed = try parse(
      "<rss xml:base='http://h/a/'><channel><item xml:base='b/'><link>1</link></item></channel></rss>",
      base: "")
    #expect(feed.entries[0].link == "http://h/a/b/1")
  }

  @Test func xmlBaseIsInheritedOverriddenAndLeftAgain() throws {
    let feed = try parse(
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="/top/">
        <entry xml:base="one/"><id>1</id>
          <link rel="enclosure" type="video/mp4" href="v.mp4" xml:base="deep/"/>
          <link href="page"/></entry>
        <entry><id>2</id><link rel="enclosure" type="video/mp4" href="v.mp4"/></entry>
        <entry xml:base="http://other.example/x"><id>relative</id>
          <link rel="enclosure" type="video/mp4" href="../v.mp4"/></entry>
      </feed>
      """)
    #expect(
      feed.entries.map { $0.media?.url } == [
        "https://example.org/top/one/deep/v.mp4", "https://example.org/top/v.mp4",
        "http://other.example/v.mp4",
      ])
    #expect(feed.entries[0].link == "https://example.org/top/one/page")
    #expect(feed.entries[2].id == "relative")
  }
}
