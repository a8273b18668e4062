import FoundationEssentials
import Testing

@testable import Catalog
@testable import FeedReading

@Suite(.timeLimit(.minutes(1)))
struct FeedReportTests {
  static let feed = """
    <title>T</title><item><guid>a</guid><title>One</title><itunes:duration>61</itunes:duration>
    <pubDate>2004-01-01</pubDate><enclosure url="http://x/1.mp4" type="video/mp4"/></item>
    <item><guid>s</guid><title>Sound</title><enclosure url="http://x/1.mp3" type="audio/mpeg"/></item>
    <item><guid>b</guid><title>Two\u{202E}</title><enclosure url="http://x/2-1080p.webm" type="video/webm"/>
    <media:content url="http://x/2.mp4" type="video/mp4" bitrate="1.5"/></item>
    """

  struct Shown: Decodable {
    struct Head: Decodable { var kind: String, complete: Bool, next: [String] }
    struct Item: Decodable {
      var n: Int?
      var name: String?
      var id: String
      var url: String?
      var duration: Double?
      var skipped: String?
      var alternates: [Alternate]
    }
    struct Alternate: Decodable { var url: String, bitrate: Double?, `default`: Bool }
    var feed: Head
    var entries: [Item]
  }

  func shown(all: Bool) throws -> Shown {
    let feed = try parse(rss(Self.feed))
    return try JSONDecoder().decode(
      Shown.self, from: Data(FeedReport.json(of: feed, all: all).utf8))
  }

  @Test func entriesAreNumberedInFeedOrder() throws {
    let shown = try shown(all: false)
    #expect(shown.feed.kind == "rss")
    #expect(shown.entries.map(\.n) == [1, 2])
    #expect(shown.entries.map(\.name) == ["0001.mp4", "0002.webm"])
    #expect(shown.entries[0].duration == 61)
    #expect(shown.entries[1].alternates.map(\.url) == ["http://x/2.mp4"])
    #expect(shown.entries[1].alternates.map(\.bitrate) == [1.5])
  }

  @Test func whatIsSkippedIsListedWithItsReasonAndNoNumber() throws {
    let entry = try shown(all: true).entries[1]
    #expect(entry.id == "s" && entry.n == nil && entry.name == nil)
    #expect(entry.skipped == "audio only")
    #expect(entry.url == "http://x/1.mp3")
    #expect(try shown(all: true).entries.map(\.n) == [1, nil, 2])
  }

  @Test func eachKeyIsThereWhetherOrNotItHasAValue() throws {
    let feed = try parse(rss("<item><guid>a</guid></item>"))
    let json = FeedReport.json(of: feed, all: true)
    for key in [
      "n", "name", "published", "url", "type", "length", "duration", "height", "thumbnail",
      "chapters", "link", "season", "episode", "ttl", "newURL", "language", "choice", "codecs",
      "option", "stream",
    ] {
      #expect(json.contains("\"\(key)\" : null"), "\(key)")
    }
    #expect(json.contains("\"schema\" : 2"))
    for key in ["alternates", "subtitles", "next", "diagnostics", "skipped", "idSource"] {
      #expect(json.contains("\"\(key)\" : "), "\(key)")
    }
  }

  @Test func aPersonIsShownATable() throws {
    let feed = try parse(rss(Self.feed))
    #expect(
      FeedReport.table(of: feed, all: true) == """
        NAME       DATE        DURATION  LINES  TITLE
        0001.mp4   2004-01-01  1:01      -      One
        -          -           -         -      Sound (audio only; --audio takes it)
        0002.webm  -           -         1080   Two [1080 lines by its address, the most of 2 forms]

        """)
  }

  /// A length of 1024 is a placeholder.
  @Test func sizesAndSubtitlesAreShownWhereTheFeedTellsThem() throws {
    let feed = try parse(
      rss(
        """
        <item><guid>a</guid><title>One</title>
        <enclosure url="http://x/1.mp4" type="video/mp4" length="199263012"/>
        <podcast:transcript url="http://x/1.vtt" type="text/vtt" language="en"/>
        <podcast:transcript url="http://x/2.vtt" type="text/vtt" language="de"/></item>
        <item><guid>b</guid><title>Two</title>
        <enclosure url="http://x/2.mp4" type="video/mp4" length="1024"/></item>
        """))
    #expect(
      FeedReport.table(of: feed) == """
        NAME      DATE  DURATION  SIZE       SUBTITLES  TITLE
        0001.mp4  -     -         190.0 MiB  en,de      One
        0002.mp4  -     -         -          -          Two

        """)
  }

  @Test func aStreamIsToldWithItsKind() throws {
    let feed = try parse(
      rss(
        """
        <item><guid>a</guid><title>One</title><enclosure url="http://x/1.m3u8"/></item>
        <item><guid>b</guid><title>Two</title><enclosure url="http://x/2.mpd"/>
        <media:content url="http://x/2-360p.mp4"/></item>
        """))
    #expect(
      FeedReport.table(of: feed) == """
        NAME      DATE  DURATION  TITLE
        0001.mkv  -     -         One [HLS stream]
        0002.mkv  -     -         Two [DASH stream: height unknown, taken as 480 lines, the most of \
        2 forms]

        """)
    let json = FeedReport.json(of: feed)
    #expect(json.contains("\"stream\" : \"HLS\"") && json.contains("\"stream\" : \"DASH\""))
    var choice = MediaChoice()
    choice.streams = false
    let off = try FeedParser.parse(
      Array(rss(#"<item><guid>a</guid><enclosure url="http://x/1.m3u8"/></item>"#).utf8),
      base: "http://x/", choice: choice)
    #expect(
      FeedReport.table(of: off, choice: choice, all: true)
        .contains("(only an HLS or DASH stream; --streams on takes it)"))
  }
}
