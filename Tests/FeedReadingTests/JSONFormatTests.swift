import Testing

@testable import FeedReading
@testable import Markup

/// Irregular JSON Feeds, manifests and nginx listings.
@Suite(.timeLimit(.minutes(1)))
struct JSONFormatTests {
  private func feed(_ text: String) throws -> Feed {
    try parse(text, base: "https://h.org/dir/list")
  }

  private func jsonFeed(_ members: String) throws -> Feed {
    try feed("{\"version\": \"https://jsonfeed.org/version/1.1\", \"title\": \"T\", \(members)}")
  }

  private let media = #""attachments": [{"url": "a.mp4", "mime_type": "video/mp4"}]"#

  @Test func aLongNumberIsAnIdToTheLastDigit() throws {
    let feed = try jsonFeed(
      #""items": [{"id": 9007199254740993, \#(media)}, {"id": 9007199254740992, \#(media)}]"#)
    #expect(feed.entries.map(\.id) == ["9007199254740993", "9007199254740992"])
    #expect(feed.diagnostics.isEmpty)
  }

  @Test func anIdThatIsNoneIsToldOf() throws {
    let items = ["{}", "\"\"", "null"].map { id in
      #"{"id": \#(id), "url": "/\#(id == "null")\#(id == "{}")", \#(media)}"#
    }
    let feed = try jsonFeed("\"items\": [5, \(items.joined(separator: ", ")), null]")
    #expect(feed.entries.map { $0.skipped } == ["its id is blank", "its id is blank", nil])
    #expect(feed.diagnostics == ["items that have no usable id or are no objects: 4"])
  }

  @Test func aFeedThatWasCutOffIsReadUpToThere() throws {
    let feed = try feed(
      #"{"version": "https://jsonfeed.org/version/1", "items": [{"id": 1, \#(media)}, {"id": 2, "tit"#
    )
    #expect(feed.entries.map(\.id) == ["1", "2"] && feed.entries[0].media != nil)
    #expect(feed.recovered)
    #expect(feed.diagnostics == ["the document is not valid JSON and was repaired"])
  }

  @Test func whatIsNotUTF8IsReadAndTold() throws {
    let text =
      "{\"version\": \"https://jsonfeed.org/version/1\", \"title\": \"Caf\u{E9}\", \"items\": []}"
    let bytes = text.unicodeScalars.map { UInt8($0.value) }
    let feed = try FeedParser.parse(bytes, base: "")
    #expect(feed.title == "Café" && feed.recovered && feed.diagnostics.count == 1)
  }

  @Test func anExpiredFeedIsAskedForAsSeldomAsCanBe() throws {
    #expect(try jsonFeed(#""expired": true, "items": []"#).pace.minutes == 24 * 60)
    #expect(try jsonFeed(#""expired": "no", "items": []"#).pace.minutes == nil)
  }

  @Test func itemsBeyondTheLimitAreNotRead() throws {
    let items = Array(repeating: "{}", count: XMLLimit.entries + 1).joined(separator: ",")
    let feed = try jsonFeed("\"items\": [\(items)]")
    #expect(feed.entries.count == XMLLimit.entries)
    #expect(feed.diagnostics.contains { $0.contains("more than 100000 entries") })
  }

  @Test(arguments: ["application/x-mpegURL", "application/vnd.apple.mpegurl", "video/mp4"])
  func anEntryThatIsOnlyAStreamIsAFile(type: String) throws {
    let entry = try #require(
      jsonFeed(
        #""items": [{"id": "a", "attachments": [{"url": "/v.m3u8", "mime_type": "\#(type)"}]}]"#
      ).entries.first)
    #expect(entry.media?.streamKind == .hls && entry.skipped == nil)
  }

  // MARK: Manifests

  @Test func groupsAreReadInTheOrderOfTheDocument() throws {
    let feed = try feed(
      """
      {"z": [{"title": "1", "url": "1.mp4"}], "a": {"list": [{"title": "2", "file": "2.mp4"}]},
       "m": [{"title": "3", "src": "3.mp4", "id": 12345678901234567890}]}
      """)
    #expect(feed.entries.map(\.title) == ["1", "2", "3"])
    #expect(feed.entries[2].id == "12345678901234567890")
  }

  /// A group with a page of its own is no entry, and the subtitles of an entry are no group.
  @Test func aGroupIsToldFromAnEntry() throws {
    let feed = try feed(
      """
      [{"name": "Group", "url": "https://h.org/", "samples": [{"name": "One", "uri": "1.mp4"}]},
       {"name": "Page", "url": "p.html", "subtitles": [{"name": "English", "url": "x.vtt"}]},
       {"name": "Two", "url": "2.mp4", "more": [{"name": "no", "url": "n.mp4"}]}]
      """)
    #expect(feed.entries.map(\.title) == ["One", "Page", "Two"])
    #expect(feed.entries.map { $0.skipped == nil } == [true, false, true])
  }

  @Test func entriesOfPagesWithinPagesAreCountedOnce() throws {
    var text = "[{\"title\": \"a\", \"url\": \"a.mp4\"}]"
    for _ in 0..<100 { text = "[{\"title\": \"p\", \"url\": \"p.html\", \"x\": \(text)}]" }
    #expect(try feed(text).entries.map(\.title) == ["a"])
  }

  @Test(
    arguments: [
      (#""next": "page2.json""#, "https://h.org/dir/page2.json"),
      (#""next_url": "?p=2""#, "https://h.org/dir/list?p=2"),
      (#""cursor": "https://h.org/x""#, "https://h.org/x"),
      (#""cursor": "?after=5""#, "https://h.org/dir/list?after=5"),
      (#""links": {"next": "/2"}"#, "https://h.org/2"), (#""cursor": "aB/9==""#, nil),
      (#""next": 2"#, nil),
      (#""next": "abc""#, nil), (#""next": "file:///etc/passwd""#, nil),
    ] as [(String, String?)])
  func theNextPageIsTakenWhereItIsAnAddress(member: String, page: String?) throws {
    let feed = try feed(#"{\#(member), "items": [{"title": "a", "url": "a.mp4", "next": "/no"}]}"#)
    #expect(feed.next == (page.map { [$0] } ?? []))
  }

  @Test(arguments: [
    "[]", "{}", "[1, \"a\"]", #"{"items": [{"title": "a"}, {"url": "b.mp4"}]}"#,
    #"{"url": "a.mp4", "title": "no array"}"#,
  ])
  func whatListsNoMediaIsNoFeed(text: String) {
    #expect(throws: FeedError.notAFeed(looksLike: "a JSON document")) { try feed(text) }
  }

  @Test(arguments: ["{ body: color }", "[section]\nkey=value", "{\"a\": "])
  func whatOnlyBeginsLikeJSONIsNoFeed(text: String) {
    #expect(throws: FeedError.notAFeed(looksLike: "a damaged JSON document")) { try feed(text) }
  }

  // MARK: nginx

  @Test func anyNameOfAFileBecomesAnAddress() throws {
    let feed = try feed(
      """
      [{"name": "a #1?%20.mp4", "type": "file", "mtime": "Fri, 01 May 2026 10:00:00 GMT", "size": "x"},
       {"name": "..", "type": "file", "mtime": "", "size": 1}, {"name": "x.mp4", "type": "other", "mtime": "?"}]
      """.replacing("\"mtime\": \"\"", with: "\"mtime\": \"-\""))
    #expect(feed.kind == .index && feed.entries.count == 1)
    #expect(feed.entries[0].media?.url == "https://h.org/dir/a%20%231%3F%2520.mp4")
    #expect(feed.entries[0].title == "a #1?%20" && feed.entries[0].media?.length == nil)
  }
}
