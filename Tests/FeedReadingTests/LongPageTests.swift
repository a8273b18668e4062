import FeedReading
import Glibc
import TestSupport
import Testing

/// A long page is read in little memory. What an entry costs the processor is in `make counts`.
@Suite(.timeLimit(.minutes(2)))
struct LongPageTests {
  @Test func aPageOfTenMegabytesIsReadInLittleMemory() throws {
    let page = Self.page(longerThan: Figure.pageLength.bytes)
    let before = try Self.memory("VmRSS:")
    try Self.forgetPeak()

    let feed = try FeedParser.parse(page, base: "https://h.org/feed")

    let growth = try Self.memory("VmHWM:") - before
    #expect(feed.entries.count >= Figure.pageEntries.count)
    #expect(feed.entries.last?.alternates.count == 2)
    #expect(growth <= Figure.pageMemory.bytes, "it took \(growth) bytes")
  }

  // MARK: Private

  /// Returns a line of this process's status, in bytes.
  private static func memory(_ name: String) throws -> Int {
    let file = try #require(fopen("/proc/self/status", "r"))
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if text.hasPrefix(name) { return try #require(Int(text.filter(\.isNumber))) << 10 }
    }
    throw TestToolError("/proc/self/status has no \(name)")
  }

  /// The largest memory so far is counted from now on (proc_pid_clear_refs(5)).
  private static func forgetPeak() throws {
    let file = try #require(fopen("/proc/self/clear_refs", "w"))
    defer { fclose(file) }
    try #require(fputs("5", file) >= 0)
  }

  private static func page(longerThan length: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length + 1_000)
    bytes += #"<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel>"#.utf8
    var number = 0
    while bytes.count < length {
      number += 1
      bytes += item(number).utf8
    }
    bytes += "</channel></rss>".utf8
    return bytes
  }

  private static func item(_ number: Int) -> String {
    let media = [2160, 1080, 720].map { height in
      """
      <media:content url="https://media.h.org/films/\(number)-\(height).mp4" type="video/mp4" \
      medium="video" height="\(height)" bitrate="\(height * 3)" fileSize="\(number * height)" \
      duration="1800"/>

      """
    }
    return """
      <item>
      <title>Entry number \(number) &amp; its name</title>
      <guid isPermaLink="false">tag:h.org,2026:entry-\(number)</guid>
      <link>https://h.org/watch/entry-\(number)</link>
      <pubDate>Fri, 01 May 2026 10:\(10 + number % 50):00 +0200</pubDate>
      <media:thumbnail url="https://media.h.org/p/\(number).jpg"/>
      \(media.joined())</item>

      """
  }
}
