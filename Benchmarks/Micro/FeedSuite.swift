import Catalog
import FeedReading

/// From the bytes of a document to the catalog, for feeds of a thousand entries.
enum FeedSuite {
  private static let count = 1_000
  private static let base = "https://h.org/dir/feed"

  static var benchmarks: [Benchmark] {
    let parsers = [("RSS", rss), ("Atom", atom), ("JSON Feed", json)].map { format, document in
      Benchmark("Feeds: parse \(format)") { kept(try FeedParser.parse(document, base: base)) }
    }
    return parsers + [
      Benchmark("Feeds: merge into an empty catalog") {
        var catalog = Catalog(feed: try FeedKey(base))
        kept(merge(try FeedParser.parse(rss, base: base), into: &catalog))
      },
      Benchmark("Feeds: refresh without a change") {
        var catalog = Catalog(feed: try FeedKey(base))
        let feed = try FeedParser.parse(rss, base: base)
        _ = merge(feed, into: &catalog)
        kept(merge(feed, into: &catalog))
      },
    ]
  }

  private static func merge(_ feed: Feed, into catalog: inout Catalog) -> CatalogChange {
    catalog.merge(feed, now: 1_800_000_000) { media in
      MediaType.fileExtension(type: media.type, url: media.url)
    }
  }

  private static let rss = document(
    "<rss version=\"2.0\"><channel><title>A feed</title>", "</channel></rss>"
  ) { number in
    """
    <item><title>Entry &amp; number \(number)</title><guid>e\(number)</guid>\
    <pubDate>Tue, 15 Nov 1994 12:45:26 GMT</pubDate><description><![CDATA[<p>Words about it.</p>]]>\
    </description><enclosure url="https://h.org/m/\(number).mp4" length="73400320" type="video/mp4"/></item>
    """
  }

  private static let atom = document(
    "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>A feed</title>", "</feed>"
  ) { number in
    """
    <entry><title>Entry \(number)</title><id>urn:e:\(number)</id>\
    <updated>2026-05-01T10:00:00Z</updated><summary>Words about it.</summary>\
    <link rel="enclosure" type="video/mp4" length="73400320" href="/m/\(number).mp4"/></entry>
    """
  }

  private static let json = document(
    "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"A feed\",\"items\":[", "]}",
    separator: ","
  ) { number in
    """
    {"id":"e\(number)","title":"Entry \(number)","date_published":"2026-05-01T10:00:00Z",\
    "attachments":[{"url":"https://h.org/m/\(number).mp4","mime_type":"video/mp4","size_in_bytes":73400320}]}
    """
  }

  private static func document(
    _ head: String, _ tail: String, separator: String = "\n", entry: (Int) -> String
  ) -> [UInt8] {
    Array((head + (1...count).map(entry).joined(separator: separator) + tail).utf8)
  }
}
