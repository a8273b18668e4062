import Testing

@testable import FeedReading

/// An entry's subject, date and media, in all the ways in which feeds write them.
@Suite(.timeLimit(.minutes(1)))
struct EntryFieldTests {
  // MARK: - Links

  @Test(arguments: [
    ("<link>http://x/1</link>", "http://x/1"), ("<link> \n http://x/1 \t</link>", "http://x/1"),
    ("<link href='http://x/1'/>", "http://x/1"), ("<link/>", nil), ("", nil),
    ("<link>http://x/1</link><link>http://x/2</link>", "http://x/2"),
    ("<link>http://x/1</link><link/>", "http://x/1"), ("<link>mailto:me@x</link>", nil),
    ("<link><![CDATA[http://x/?a=1&b=2]]></link>", "http://x/?a=1&b=2"),
    ("<atom:link href='http://x/a'/>", "http://x/a"),
    ("<atom:link href='http://x/a'/><link>http://x/1</link>", "http://x/1"),
    ("<link>http://x/1</link><atom:link href='http://x/a'/>", "http://x/1"),
    ("<atom:link rel='self' href='http://x/a'/>", nil), ("<guid>http://x/g</guid>", "http://x/g"),
    ("<guid isPermaLink='TRUE'>http://x/g</guid>", "http://x/g"),
    ("<guid isPermaLink='False'>http://x/g</guid>", nil), ("<guid>abc</guid>", nil),
    ("<guid>http://x/g</guid><link>http://x/1</link>", "http://x/1"),
    ("<source><link>http://no/</link></source><image><link>http://no/</link></image>", nil),
  ])
  func theLinkOfAnItemIsItsPage(written: String, link: String?) throws {
    #expect(try item(written).link == link)
  }

  @Test(arguments: [
    ("<link href='/1'/>", "http://x/1"), ("<link rel='' href='/1'/>", "http://x/1"),
    ("<link rel='alternate' href='/1'/><link rel='alternate' href='/2'/>", "http://x/1"),
    (
      "<link rel='alternate' type='application/json' href='/j'/><link type='text/html' href='/1'/>",
      "http://x/1"
    ),
    ("<link type='application/xhtml+xml; charset=utf-8' href='/1'/>", "http://x/1"),
    ("<link type='application/json' href='/j'/>", "http://x/j"),
    ("<link rel='self' href='/s'/>", nil),
    ("<link rel='http://www.iana.org/assignments/relation/alternate' href='/1'/>", "http://x/1"),
    ("<link rel='http://x/alternate' href='/1'/>", nil),
    ("<link rel='ALTERNATE' href='/1'/>", "http://x/1"),
    ("<link/>", nil), ("<link href=''/>", "http://x/feed"),
  ])
  func theLinkOfAnEntryIsTheAlternateForPeople(written: String, link: String?) throws {
    let feed = try parse(
      atom("\(written)<entry><id>1</id>\(written)</entry>"), base: "http://x/feed")
    #expect(feed.entries[0].link == link)
    #expect(feed.url == link)
  }

  // MARK: - Dates

  /// 2004-01-01 00:00:00 UTC
  static let newYear = 1_072_915_200

  @Test(arguments: [
    "<pubDate>Thu, 01 Jan 2004 00:00:00 GMT</pubDate><dc:date>2005</dc:date>",
    "<dc:date>2005</dc:date><pubDate>Thu, 01 Jan 2004 00:00:00 GMT</pubDate>",
    "<pubDate>never</pubDate><dc:date>2004-01-01</dc:date>", "<dc:date>2004-01-01</dc:date>",
    "<pubdate>2004-01-01</pubdate>", "<PubDate>2004-01-01</PubDate>",
    "<atom:updated>2005</atom:updated><atom:published>2004</atom:published>",
    "<dcterms:modified xmlns:dcterms='http://purl.org/dc/terms/'>2005</dcterms:modified><dc:date>2004</dc:date>",
    "<dcterms:issued xmlns:dcterms='http://purl.org/dc/terms/'>2004-01-01</dcterms:issued>",
    "<dcterms:modified xmlns:dcterms='http://purl.org/dc/terms/'>2004-01-01</dcterms:modified>",
    "<pubDate>2005</pubDate><pubDate>2004</pubDate>",
    "<atom:updated>2004-01-01T00:00:00Z</atom:updated>",
  ])
  func anItemIsPublishedWhenItsBestDateSays(written: String) throws {
    #expect(try item(written).published == Self.newYear)
  }

  @Test(arguments: [
    "<published>2004-01-01T00:00:00Z</published><updated>2005-01-01T00:00:00Z</updated>",
    "<updated>2005-01-01T00:00:00Z</updated><published>2004-01-01T00:00:00Z</published>",
    "<updated>2004-01-01T01:00:00+01:00</updated>",
    "<modified>2005</modified><issued>2004</issued>",
    "<modified>2004</modified>", "<created>2004</created><modified>2005</modified>",
    "<source><published>2006</published></source><updated>2004</updated>",
    "<published>soon</published><updated>2004</updated>",
  ])
  func anEntryIsPublishedBeforeItIsUpdated(written: String) throws {
    let feed = try parse(atom("<updated>2007</updated><entry>\(written)</entry>"))
    #expect(feed.entries.map(\.published) == [Self.newYear])
  }

  // MARK: - Enclosures

  @Test(arguments: [
    ("length='20000'", 20000), ("length=' 20000 '", 20000), ("length='0'", nil),
    ("length='-1'", nil),
    ("length=''", nil), ("length='unknown'", nil), ("length='12,345'", nil), ("length='1e6'", nil),
    ("length='99999999999999999999'", nil), ("", nil),
  ])
  func aLengthIsAWholeNumberAboveZero(attribute: String, length: Int?) throws {
    let enclosure = "<enclosure url='http://x/v.mp4' type='video/mp4' \(attribute)/>"
    #expect(try item(enclosure).media?.length == length)
    let feed = try parse(
      atom(
        "<entry><link rel='enclosure' href='http://x/v.mp4' type='video/mp4' \(attribute)/></entry>"
      ))
    #expect(feed.entries[0].media?.length == length)
  }

  @Test(arguments: [
    ("url='http://x/v.mp4'", "http://x/v.mp4"), ("url='feed://x/v.mp4'", "http://x/v.mp4"),
    ("href='http://x/v.mp4'", "http://x/v.mp4"), ("uri='http://x/v.mp4'", "http://x/v.mp4"),
    ("url='\n http://x/a b.mp4 '", "http://x/a%20b.mp4"),
    ("URL='http://x/v.mp4'", "http://x/v.mp4"),
    ("url='http://x/v.mp4?a=1&amp;b=2#t=1'", "http://x/v.mp4?a=1&b=2#t=1"), ("url=''", nil),
    ("", nil),
    ("url='ftp://x/v.mp4'", nil), ("url='file:///etc/passwd'", nil),
    ("url='v.mp4'", "https://example.org/v.mp4"),
    ("url='//x/v.mp4'", "https://x/v.mp4"), ("url='http://'", nil),
  ])
  func anEnclosureHasAnAddressOfTheWeb(attribute: String, address: String?) throws {
    let entry = try item("<guid>1</guid><enclosure \(attribute) type='video/mp4'/>")
    #expect(entry.media?.url == address)
    #expect((entry.skipped == nil) == (address != nil))
  }

  @Test func allEnclosuresOfAnItemAreKeptOnce() throws {
    let entry = try item(
      """
      <enclosure url="http://x/a.mp3" type="audio/mpeg" length="5"/>
      <enclosure url="http://x/v.mp4" type="video/mp4" length="7"/>
      <enclosure url="http://x/i.jpg" type="image/jpeg"/>
      <media:group><media:content url="http://x/v.mp4" height="720" bitrate="900"/>
        <media:content url="http://x/w.webm" type="video/webm" height="480"/></media:group>
      <media:content medium="video"><media:player url="http://x/page"/></media:content>
      """)
    #expect(entry.media?.url == "http://x/v.mp4")
    #expect(entry.media?.height == 720 && entry.media?.length == 7 && entry.media?.bitrate == 900)
    #expect(
      entry.alternates.map(\.url) == ["http://x/w.webm", "http://x/a.mp3", "http://x/i.jpg"])
  }

  // MARK: - Vocabularies

  @Test(arguments: [
    ("<itunes:duration>3661</itunes:duration>", 3661.0),
    ("<itunes:duration>61:08</itunes:duration>", 3668),
    ("<itunes:duration> 25:3:30 </itunes:duration>", 90210),
    ("<itunes:duration>01:02:03.500</itunes:duration>", 3723.5),
    ("<itunes:duration/>", nil), ("<itunes:duration>00:00:00</itunes:duration>", nil),
    ("<itunes:duration>soon</itunes:duration>", nil),
    ("<media:content url='/v.mp4' duration='61'/>", 61),
    ("<media:content url='/v.mp4' duration='61'/><itunes:duration>60</itunes:duration>", 60),
  ])
  func aDurationIsAppleSFirst(written: String, seconds: Double?) throws {
    #expect(try item(written).duration == seconds)
  }

  @Test(
    arguments: [
      ("<itunes:season>2</itunes:season><itunes:episode> 3 </itunes:episode>", 2, 3),
      (
        "<podcast:season name='S'>2</podcast:season><podcast:episode display='Ch.3'>3.5</podcast:episode>",
        2, 3
      ),
      ("<podcast:season>9</podcast:season><itunes:season>2</itunes:season>", 2, nil),
      ("<itunes:season>two</itunes:season><itunes:episode/>", nil, nil),
    ] as [(String, Int?, Int?)])
  func aSeasonAndAnEpisodeAreNumbers(written: String, season: Int?, episode: Int?) throws {
    let entry = try item(written)
    #expect(entry.season == season)
    #expect(entry.episode == episode)
  }

  @Test func itemsAreFoundWhereverTheyStand() throws {
    let outside = "<item><guid>b</guid></item>"
    let feed = try parse(
      "<rss version='0.92'><item><guid>a</guid></item><channel><title>T</title>\(outside)</channel><item><guid>c</guid></item></rss>"
    )
    #expect(feed.entries.map(\.id) == ["a", "b", "c"])
    let rdf = try parse(
      """
      <r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://my.netscape.com/rdf/simple/0.9/">
      <channel><title>T</title><item><title>in</title></item></channel>
      <item r:about="http://x/1"><link>http://x/1</link></item></r:RDF>
      """)
    #expect(rdf.entries.map(\.title) == ["in", ""])
    #expect(rdf.entries[1].id == "http://x/1")
  }
}
