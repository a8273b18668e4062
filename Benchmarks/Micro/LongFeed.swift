import Catalog
import FeedReading
import Glibc

/// A feed whose entries have three media each. They cost the parser more than any other entries.
enum LongFeed {
  private static let base = "https://h.org/dir/feed"

  /// The number of entries in 10 MB.
  private static let entries = 12_137

  static var benchmarks: [Benchmark] {
    [
      Benchmark("Feeds: parse 10 MB of Media RSS") { kept(try parsed(whole)) },
      Benchmark("Feeds: refresh 10,000 entries without a change") {
        var catalog = known
        kept(merge(ten, into: &catalog))
      },
      Benchmark("Feeds: merge 10,000 entries into an empty catalog") {
        var catalog = Catalog(feed: try FeedKey(base))
        kept(merge(ten, into: &catalog))
      },
    ]
  }

  /// Parses the feed of 10 MB once in this process. Prints its time in milliseconds, and the growth
  /// of `VmHWM` in KiB.
  static func measure() throws {
    let document = document(entries)
    let before = peak()
    var feed: Feed?
    let time = try ContinuousClock().measure { feed = try parsed(document) }
    print("entries", feed?.entries.count ?? 0, "bytes", document.count)
    print("milliseconds", time / .milliseconds(1))
    print("kibibytes", peak() - before)
  }

  /// Parses a feed of a thousand entries, or refreshes with it, for a tool that counts. The
  /// difference between two runs is the cost of the work.
  static func work(_ name: String, times: Int) throws {
    let document = document(1_000)
    switch name {
    case "parse":
      for _ in 0..<times { kept(try parsed(document)) }
    case "refresh":
      var catalog = Catalog(feed: try FeedKey(base))
      let feed = try parsed(document)
      // The first two merges know less of the feed than all others.
      for _ in 0..<(2 + times) { kept(merge(feed, into: &catalog)) }
    default:
      preconditionFailure("no such work: \(name)")
    }
  }

  // MARK: Private

  private static let whole = document(entries)

  private static func parsed(_ document: [UInt8]) throws -> Feed {
    try FeedParser.parse(document, base: base)
  }

  private static let ten: Feed = {
    guard let feed = try? parsed(document(10_000)) else { preconditionFailure("it is no feed") }
    return feed
  }()

  private static let known: Catalog = {
    guard let key = try? FeedKey(base) else { preconditionFailure("the base is no address") }
    var catalog = Catalog(feed: key)
    _ = merge(ten, into: &catalog)
    _ = merge(ten, into: &catalog)
    return catalog
  }()

  private static func merge(_ feed: Feed, into catalog: inout Catalog) -> CatalogChange {
    catalog.merge(feed, now: 1_800_000_000, fileExtension: MediaType.fileExtension(of:))
  }

  /// The largest resident memory of this process so far, in KiB. `getrusage` would count that of
  /// the process before `exec` too.
  private static func peak() -> Int {
    guard let status = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(status) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), status) != nil {
      let words = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self
      )
      .split(whereSeparator: \.isWhitespace)
      if words.count > 1, words[0] == "VmHWM:" { return Int(words[1]) ?? 0 }
    }
    return 0
  }

  private static func document(_ count: Int) -> [UInt8] {
    var bytes = Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" \
      xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>A feed</title>

      """.utf8)
    bytes.reserveCapacity(count * 900)
    for number in 1...count { bytes += item(number).utf8 }
    bytes += "</channel></rss>".utf8
    return bytes
  }

  private static func item(_ number: Int) -> String {
    let media = [2160, 1080, 720].map { height in
      """
      <media:content url="https://media.h.org/films/\(number)-\(height).mp4" \
      type="video/mp4" medium="video" height="\(height)" bitrate="\(height * 3)" \
      fileSize="\(number * height)" duration="1800"/>

      """
    }
    return """
      <item>
      <title>Entry number \(number) &amp; its name</title>
      <guid isPermaLink="false">tag:h.org,2026:entry-\(number)</guid>
      <link>https://h.org/watch/entry-\(number)</link>
      <pubDate>Fri, 01 May 2026 10:\(10 + number % 50):00 +0200</pubDate>
      <itunes:duration>0:30:00</itunes:duration>
      <itunes:episode>\(number)</itunes:episode>
      <media:thumbnail url="https://media.h.org/p/\(number).jpg"/>
      \(media.joined())</item>

      """
  }
}
