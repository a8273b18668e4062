import Blocks
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ContentTests {
  let origin: OriginProcess

  init() throws {
    origin = try OriginProcess()
  }

  @Test(arguments: [
    (seed: 0, size: 1, range: 0..<1), (seed: 1, size: 100, range: 3..<98),
    (seed: 7, size: 1_000_003, range: 262_143..<524_300),
    (seed: 12345, size: 1 << 40, range: (1 << 40) - 21..<1 << 40),
    (seed: Int.max, size: 600_000, range: 0..<600_000),
  ])
  func generatedContentIsThePattern(seed: Int, size: Int, range: ByteRange) throws {
    let response = try get(
      "/pattern/a.mp4?size=\(size)&seed=\(seed)",
      ["Range": "bytes=\(range.lowerBound)-\(range.upperBound - 1)"])

    #expect(response.status == 206)
    #expect(response.body == Pattern.bytes(range, seed: UInt64(seed)))
    #expect(response["Content-Type"] == "video/mp4")
  }

  @Test func aNewVersionHasOtherBytesAnotherTagAndAnotherDate() throws {
    let old = try get("/pattern/a.mp4?size=64&seed=5")
    try origin.version(2, below: "/pattern/a.mp4")
    let new = try get("/pattern/a.mp4?size=64&seed=5")
    let other = try get("/pattern/b.mp4?size=64&seed=5")

    #expect(new.body == Pattern.bytes(0..<64, seed: 7))
    #expect(new["ETag"] != old["ETag"])
    #expect(new["Last-Modified"] != old["Last-Modified"])
    #expect(other.body == old.body)
  }

  @Test func validatorsCanBeWeakOrMissing() throws {
    try origin.describe(below: "/pattern/", etag: "weak", cacheControl: "max-age=7")
    try origin.describe(below: "/pattern/a", etag: "none", lastModified: false)
    let weak = try get("/pattern/b.mp4")
    let none = try get("/pattern/a.mp4")

    #expect(weak["ETag"]?.hasPrefix("W/\"") == true)
    #expect(weak["Cache-Control"] == "max-age=7")
    #expect(weak["Last-Modified"] != nil)
    #expect(none["ETag"] == nil)
    #expect(none["Last-Modified"] == nil)
    #expect(none["Cache-Control"] == "max-age=7")
  }

  @Test func filesOfTheRootAreServedAndListedInNameOrder() throws {
    let root = try TemporaryDirectory()
    let content = Pattern.bytes(0..<300_000, seed: 3)
    try root.write(content, to: "b & c.webm")
    try root.write([1, 2, 3], to: "a.mp4")
    try root.write([9], to: "notes.txt")
    let origin = try OriginProcess(root: root.path)
    var connection = try RawConnection(port: origin.port)

    let feed = try connection.exchange("GET", "/feed.xml", ["Host": "some.where:81"]).text
    let file = try connection.exchange("GET", "/files/b%20%26%20c.webm")
    let part = try connection.exchange(
      "GET", "/files/b%20%26%20c.webm", ["Range": "bytes=200000-200099"])

    #expect(file.body == content)
    #expect(part.body == Array(content[200_000..<200_100]))
    #expect(file["Content-Type"] == "video/webm")
    #expect(
      feed.contains(
        #"<enclosure url="http://some.where:81/files/b%20%26%20c.webm" length="300000" type="video/webm"/>"#
      ))
    #expect(feed.contains("<title>b &amp; c.webm</title>"))
    let first = try #require(feed.firstRange(of: "a.mp4"))
    let second = try #require(feed.firstRange(of: "b &amp; c.webm"))
    #expect(first.lowerBound < second.lowerBound)
    #expect(!feed.contains("notes.txt"))
  }

  @Test(arguments: ["/files/../../etc/passwd", "/files/%2e%2e/%2e%2e/etc/passwd", "/files/", "/x"])
  func nothingElseIsServed(target: String) throws {
    let root = try TemporaryDirectory()
    let origin = try OriginProcess(root: root.path)
    var connection = try RawConnection(port: origin.port)

    #expect(try connection.exchange("GET", target).status == 404)
  }

  @Test func theSyntheticFeedHasAsManyEntriesAsAreAskedFor() throws {
    let feed = try get("/synthetic.xml?entries=3&size=77").text

    #expect(feed.split(separator: "<item>").count == 4)
    #expect(feed.contains("<title>Entry 3</title>"))
    #expect(
      feed.contains(#"url="http://origin.test/pattern/e3.mp4?size=77&amp;seed=3" length="77""#))
    #expect(feed.contains("<pubDate>Wed, 01 Jan 2025 00:00:00 GMT</pubDate>"))
    #expect(feed.contains("<pubDate>Tue, 31 Dec 2024 23:58:00 GMT</pubDate>"))
  }

  @Test func aDocumentIsServedWithItsTypeAndHeadersUntilItIsRemoved() throws {
    try origin.put("<a/>", at: "/feed.xml", type: "text/xml", headers: ["X-Mood": "good"])
    let first = try get("/feed.xml")
    let again = try get("/feed.xml", ["If-None-Match": first["ETag"] ?? ""])
    try origin.put("<b/>", at: "/feed.xml", type: "text/xml", headers: ["ETag": "\"mine\""])
    let changed = try get("/feed.xml", ["If-None-Match": first["ETag"] ?? ""])
    try origin.remove("/feed.xml")

    #expect(first.text == "<a/>")
    #expect(first["Content-Type"] == "text/xml")
    #expect(first["X-Mood"] == "good")
    #expect(again.status == 304)
    #expect(again.body == [])
    #expect(changed.text == "<b/>")
    #expect(changed["ETag"] == "\"mine\"")
    #expect(try get("/feed.xml").status == 404)
  }

  private func get(_ target: String, _ fields: [String: String] = [:]) throws -> RawResponse {
    var connection = try RawConnection(port: origin.port)
    return try connection.exchange("GET", target, fields)
  }
}
