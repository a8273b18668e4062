import Streams
import Testing

@testable import FeedReading

/// A feed or a resolver may write any number, and nothing traps.
@Suite(.timeLimit(.minutes(1)))
struct ExtremeNumberTests {
  static let numbers = [
    "0", "1", "-1", "9223372036854775807", "9223372036854775806", "-9223372036854775808",
    "18446744073709551615", "99999999999999999999999", "1e308", "-1e308", "1e-308", "1e999", "NaN",
    "inf", "0x7fffffffffffffff", "999999999.999999999", "1:99999999999:1", "999999999:59:59",
  ]

  @Test(arguments: numbers) func whateverANumberOfAPodcastSaysNothingTraps(number: String) throws {
    let entry = try item(
      """
      <guid>a</guid><enclosure url="http://x/e.mp4" type="video/mp4" length="\(number)"/>
      <itunes:duration>\(number)</itunes:duration><itunes:season>\(number)</itunes:season>
      <itunes:episode>\(number)</itunes:episode><pubDate>\(number)</pubDate>
      <media:content url="http://x/f.mp4" fileSize="\(number)" duration="\(number)" height="\(number)"
      bitrate="\(number)"/><psc:chapters><psc:chapter start="\(number)" title="A"/></psc:chapters>
      <podcast:alternateEnclosure type="video/mp4" length="\(number)" bitrate="\(number)"
      height="\(number)"><podcast:source uri="http://x/g.mp4"/></podcast:alternateEnclosure>
      """)
    for media in [entry.media].compactMap(\.self) + entry.alternates {
      #expect(media.duration.map { (0...1e9).contains($0) } ?? true)
      #expect(media.credibleLength.map { $0 <= 4 << 40 } ?? true)
      _ = media.pictureLines
    }
    #expect(entry.duration.map { (0...1e9).contains($0) } ?? true)
    let pace = "<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>"
    let feed = try parse(
      rss(
        "<ttl>\(number)</ttl>\(pace)\(number)</sy:updateFrequency><skipHours><hour>\(number)</hour>"
          + "</skipHours><item><guid>a</guid></item>",
        root: "<rss xmlns:sy=\"http://purl.org/rss/1.0/modules/syndication/\">"))
    #expect(feed.entries.count == 1)
  }

  @Test(arguments: numbers) func whateverANumberOfAListSaysNothingTraps(number: String) {
    let lists = [
      "#EXTM3U\n#EXTINF:\(number),A\nhttp://x/a.mp4\n",
      """
      <playlist xmlns="http://xspf.org/ns/0/"><trackList><track><location>http://x/a.mp4</location>
      <duration>\(number)</duration><trackNum>\(number)</trackNum></track></trackList></playlist>
      """,
      """
      {"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [{"id": "a",
      "attachments": [{"url": "http://x/a.mp4", "mime_type": "video/mp4", "size_in_bytes": \(number),
      "duration_in_seconds": \(number)}]}]}
      """,
      """
      <html><title>Index of /v/</title><pre><a href="a.mp4">a.mp4</a> 01-May-2026 10:00 \(number)
      <a href="b.mp4">b.mp4</a> 01-May-2026 10:00 \(number)K</pre>
      <table><tr><td><a href="c.mp4">c.mp4</a></td><td data-order="\(number)">12K</td></tr></table>
      """,
      """
      [{"name": "a.mp4", "type": "file", "mtime": "Fri, 01 May 2026 10:00:00 GMT", "size": \(number)}]
      """,
    ]
    for list in lists {
      for entry in (try? parse(list, base: "https://x/v/"))?.entries ?? [] {
        #expect(entry.duration.map { (0...1e9).contains($0) } ?? true)
        #expect(entry.media?.credibleLength.map { $0 <= 4 << 40 } ?? true)
      }
    }
  }

  @Test(arguments: numbers) func whateverANumberOfAResolverSaysNothingTraps(number: String) {
    for number in [number, "\"\(number)\""] {
      let document = """
        {"title": "A", "duration": \(number), "chapters": [{"start_time": \(number), "title": "One"}],
         "formats": [{"format_id": "1", "url": "https://v.example/1?expires=\(number.filter(\.isNumber))",
         "ext": "mp4", "protocol": "https", "height": \(number), "width": \(number), "tbr": \(number),
         "filesize": \(number), "available_at": \(number), "language_preference": \(number),
         "vcodec": "avc1", "acodec": "mp4a"},
         {"format_id": "2", "url": "https://v.example/2", "ext": "mp4", "protocol": "http_dash_segments",
         "vcodec": "avc1", "acodec": "none", "resolution": "1x\(number.filter { $0 != "\"" })",
         "fragments": [{"url": "https://v.example/i"}, {"url": "https://v.example/s", "duration": \(number),
         "filesize": \(number)}]}]}
        """
      guard let media = try? ResolverOutput.media(Array(document.utf8), now: 1_767_225_600) else {
        continue
      }
      #expect(media.formats.count <= 2)
      _ = FormatChoice(MediaChoice()).ranked(media.formats)
      var choice = MediaChoice()
      choice.streams = true
      if let wishes = StreamWishes(choice) {
        _ = FormatChoice(choice).stream(of: media, isStream: nil, wishes)
      }
    }
  }

  @Test func aLengthThatNoFileHasIsNoneAtAll() {
    var media = Media(url: "http://x/e.mp4")
    for length in [16 << 10, 4 << 40] {
      media.length = length
      #expect(media.credibleLength == length)
    }
    for length in [4 << 40 + 1, Int.max] {
      media.length = length
      #expect(media.credibleLength == nil)
    }
  }
}
