import Testing

@testable import FeedReading

@Suite(.timeLimit(.minutes(1)))
struct RSSParserTests {
  @Test func aPodcastOfVideosIsReadWhole() throws {
    let feed = try parse(
      rss(
        """
        <title>A &amp;amp; B</title><link>/home</link><language>de-AT</language><ttl>60</ttl>
        <image><title>no</title><link>http://no/</link></image>
        <itunes:new-feed-url>feed://new.example/</itunes:new-feed-url>
        <atom:link rel="self" href="http://self/"/><atom:link rel="next" href="?page=2"/>
        <item><title>One</title><guid isPermaLink="false">g1</guid><link>/1</link>
          <pubDate>Thu, 01 Jan 2004 19:48:21 GMT</pubDate>
          <enclosure url="http://x/1.mp4" type="Video/MP4; x=y" length="20000"/>
          <itunes:title>no</itunes:title><itunes:duration>1:01</itunes:duration>
          <itunes:season>2</itunes:season><itunes:episode>3</itunes:episode>
          <itunes:image href="http://x/i.jpg"/><media:title>no</media:title>
          <media:subTitle href="/s.srt" type="application/x-subrip" lang="en"/>
          <podcast:transcript url="/s.vtt" type="text/vtt" language="de"/>
          <podcast:transcript url="/s.html" type="text/html"/>
          <podcast:chapters url="/c.json" type="application/json+chapters"/>
          <psc:chapters><psc:chapter start="00:00:00.000" title="Start"/>
            <psc:chapter start="1:05" title="Then"/></psc:chapters>
        </item>
        """, root: podcastRoot))
    #expect(feed.kind == .rss)
    #expect(feed.title == "A & B")
    #expect(feed.url == "https://example.org/home")
    #expect(feed.language == "de-AT")
    #expect(feed.ttl == 60)
    #expect(feed.newURL == "http://new.example/")
    #expect(feed.next == ["https://example.org/feed.xml?page=2"])
    #expect(!feed.complete && !feed.recovered && feed.diagnostics.isEmpty)

    let entry = try #require(feed.entries.first)
    #expect(entry.id == "g1" && entry.idSource == .guid)
    #expect(entry.title == "One")
    #expect(entry.link == "https://example.org/1")
    #expect(entry.published == 1_072_986_501)
    #expect(entry.media?.type == "video/mp4")
    #expect(entry.media?.length == 20000)
    #expect(entry.media?.duration == 61)
    #expect(entry.season == 2 && entry.episode == 3)
    #expect(entry.thumbnail == "http://x/i.jpg")
    #expect(
      entry.subtitles.map(\.url) == ["https://example.org/s.srt", "https://example.org/s.vtt"])
    #expect(entry.subtitles.map(\.lang) == ["en", "de"])
    #expect(entry.chapters == "https://example.org/c.json")
    #expect(
      entry.chapterMarks == [Chapter(start: 0, title: "Start"), Chapter(start: 65, title: "Then")])
  }

  @Test func anAlternateEnclosureTellsWhatItIs() throws {
    let entry = try item(
      """
      <podcast:alternateEnclosure type="video/mp4" length="7" bitrate="511276.52" height="720"
        lang="en" default="true"><podcast:source uri="http://x/p.mp4"/>
        <podcast:source uri="http://x/p.m3u8" contentType="application/x-mpegURL"/>
        <podcast:integrity type="sri" value="sha384-x"/></podcast:alternateEnclosure>
      """)
    let media = try #require(entry.media)
    #expect(media.url == "http://x/p.mp4")
    #expect(media.length == 7 && media.height == 720 && media.lang == "en" && media.isDefault)
    #expect(media.bitrate == 511.27652)
    #expect(media.integrity == "sha384-x")
    #expect(entry.alternates.map(\.type) == ["application/x-mpegurl"])
  }

  @Test func whatLooksLikeAnItemIsNone() throws {
    let feed = try parse(
      rss(
        """
        <podcast:liveItem status="live"><title>Live</title><guid>l</guid>
          <enclosure url="http://x/l.mp4" type="video/mp4"/></podcast:liveItem>
        <podcast:trailer url="http://x/t.mp4" type="video/mp4">T</podcast:trailer>
        <podcast:podroll><podcast:remoteItem feedUrl="http://x/"/></podcast:podroll>
        <item><guid>i</guid></item>
        """, root: podcastRoot))
    #expect(feed.entries.map(\.id) == ["i"])
  }

  @Test(arguments: [
    (
      "http://www.itunes.com/DTDs/PodCast-1.0.dtd", "http://search.yahoo.com/mrss",
      "https://podcastindex.org/namespace/1.0"
    ),
    (
      " http://www.iTunes.com/dtds/podcast-1.0.dtd ", "https://search.yahoo.com/mrss/",
      "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md"
    ),
  ])
  func namespacesAreKnownInEachSpelling(itunes: String, media: String, podcast: String) throws {
    let root =
      #"<rss xmlns:i="\#(itunes)" xmlns:m="\#(media)" xmlns:p="\#(podcast)" version="2.0">"#
    let feed = try parse(
      rss(
        """
        <item><i:duration>9</i:duration><m:content url="http://x/v.mp4"/><p:season>4</p:season></item>
        """, root: root))
    #expect(feed.entries[0].duration == 9)
    #expect(feed.entries[0].media?.url == "http://x/v.mp4")
    #expect(feed.entries[0].season == 4)
    #expect(!feed.recovered)
  }

  @Test func prefixesThatEverybodyKnowsNeedNoDeclaration() throws {
    let feed = try parse(
      rss(
        """
        <atom:link rel="next" href="/2"/><item><title>R&D</title><itunes:duration>9</itunes:duration>
        <media:content url="http://x/v.mp4?a=1&b=2"/><dc:date>2004</dc:date></item>
        """))
    let entry = feed.entries[0]
    #expect(feed.next == ["https://example.org/2"])
    #expect(entry.title == "R&D" && entry.duration == 9 && entry.published == 1_072_915_200)
    #expect(entry.media?.url == "http://x/v.mp4?a=1&b=2")
    #expect(feed.recovered)
  }

  @Test func theItemsOfRSS1LieBesideTheChannel() throws {
    let feed = try parse(
      """
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel rdf:about="http://x/"><title>T</title><items><rdf:Seq/></items></channel>
      <item rdf:about="http://x/1"><title>One</title><dc:date>2004-01-01T19:48:21Z</dc:date></item>
      <item rdf:about="http://x/2"><title>Two</title></item></rdf:RDF>
      """)
    #expect(feed.title == "T")
    #expect(feed.entries.map(\.id) == ["http://x/1", "http://x/2"])
    #expect(feed.entries[0].published == 1_072_986_501)
  }

  @Test func anOldRSSWithADocumentTypeIsRead() throws {
    let feed = try parse(
      """
      <?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://x/rss.dtd">
      <RSS version="0.91"><channel><title>&eacute;t&eacute;</title>
      <item><title>a</title><link>http://x/?t=&eacute;&amp;u=1</link></item></channel></RSS>
      """)
    #expect(feed.title == "été")
    #expect(feed.entries[0].link == "http://x/?t=é&u=1")
    #expect(!feed.recovered)
  }

  @Test(arguments: ["http://www.w3.org/2005/Atom", "http://x/unknown", "http://purl.org/rss/1.0/"])
  func anRSSInAForeignNamespaceIsStillRSS(namespace: String) throws {
    let feed = try parse(rss("<item><guid>a</guid></item>", root: "<rss xmlns='\(namespace)'>"))
    #expect(feed.entries.map(\.id) == ["a"])
  }

  @Test(arguments: [
    "<redirect>LOCATION</redirect>", "<rss version='2.0'><redirect>LOCATION</redirect></rss>",
    "<rss><channel><redirect>LOCATION</redirect></channel></rss>",
    "<rss><channel>LOCATION</channel></rss>", "<rss>LOCATION</rss>",
  ])
  func aFeedThatMovedSaysWhere(document: String) throws {
    let feed = try parse(
      document.replacing("LOCATION", with: "<newLocation>http://new/feed</newLocation>"))
    #expect(feed.newURL == "http://new/feed")
    #expect(feed.entries.isEmpty)
  }

  @Test func itunesCompleteIsNoPromiseThatWhatIsMissingIsGone() throws {
    #expect(
      try !parse(rss("<itunes:complete>yes</itunes:complete>", root: podcastRoot)).complete)
  }
}
