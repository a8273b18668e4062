import Testing

@testable import FeedReading

@Suite(.timeLimit(.minutes(1)))
struct AtomParserTests {
  @Test func aFeedOfVideosIsReadWhole() throws {
    let feed = try parse(
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="fr"
        xmlns:fh="http://purl.org/syndication/history/1.0"
        xmlns:at="http://purl.org/atompub/tombstones/1.0" xmlns:media="http://search.yahoo.com/mrss/">
      <title>T</title><id>feed</id><fh:complete/><link href="/home"/><link rel="self" href="/s"/>
      <link rel="next" href="/2"/><link rel="prev-archive" href="/old"/><link rel="current" href="/c"/>
      <at:deleted-entry ref="gone" when="2004-01-01T00:00:00Z"/>
      <entry><id> tag:x,1 </id><title>One</title><updated>2005-01-01T00:00:00Z</updated>
        <published>2004-01-01T19:48:21Z</published><link href="/1"/>
        <link rel="enclosure" href="1.webm" type="video/webm" length="50000"/>
        <link rel="next" href="/not-this"/>
        <media:group><media:title>no</media:title><media:thumbnail url="http://x/t.jpg"/></media:group>
        <source><title>no</title><id>no</id><link rel="enclosure" href="no.mp4" type="video/mp4"/></source>
      </entry>
      <entry><id>2</id><updated>2004-01-01T19:48:21Z</updated>
        <content type="video/mp4" src="http://x/2"/></entry></feed>
      """)
    #expect(feed.kind == .atom && feed.title == "T" && feed.language == "fr" && feed.complete)
    #expect(feed.url == "https://example.org/home")
    #expect(feed.next == ["https://example.org/2", "https://example.org/old"])
    #expect(feed.deleted == ["gone"])
    let entry = feed.entries[0]
    #expect(entry.id == "tag:x,1" && entry.title == "One" && entry.published == 1_072_986_501)
    #expect(entry.link == "https://example.org/1")
    #expect(entry.media?.url == "https://example.org/1.webm" && entry.media?.length == 50000)
    #expect(entry.alternates.isEmpty)
    #expect(entry.thumbnail == "http://x/t.jpg")
    #expect(feed.entries[1].media?.url == "http://x/2")
    #expect(feed.entries[1].published == 1_072_986_501)
  }

  @Test func atom03IsReadToo() throws {
    let feed = try parse(
      """
      <feed version="0.3" xmlns="http://purl.org/atom/ns#"><title mode="escaped">T</title>
      <entry><id>1</id><issued>2004-01-01T19:48:21Z</issued><modified>2005</modified></entry></feed>
      """)
    #expect(feed.title == "T")
    #expect(feed.entries.map(\.published) == [1_072_986_501])
  }

  @Test func aFlashFilmOfYouTubeIsNoVideo() throws {
    let feed = try parse(
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
      <entry><id>yt:video:1</id><link rel="alternate" href="https://www.youtube.com/watch?v=1"/>
      <media:group><media:content url="https://www.youtube.com/v/1?version=3"
        type="application/x-shockwave-flash" width="640" height="390"/></media:group></entry></feed>
      """)
    #expect(feed.entries[0].skipped == "only a Flash player: its page needs a resolver")
    #expect(feed.entries[0].alternates.count == 1)
  }
}
