import FeedReading
import Testing

/// JSON without a published format, and invalid durations.
@Suite(.timeLimit(.minutes(1)))
struct ManifestTests {
  private func feed(_ text: String) throws -> Feed {
    try parse(text, base: "https://h.org/dir/list")
  }

  @Test func mediaInAnyJSONAreFound() throws {
    let feed = try feed(
      """
      {"title": "Catalog", "nextPage": "list?cursor=2", "groups": [{"name": "g", "samples": [
        {"name": "One", "uri": "one.mp4", "duration": "1:01", "size": "300000", "poster": "p.jpg"},
        {"title": "Two", "sources": ["two.webm", {"src": "two.mp4", "height": 720}], "id": 2},
        {"title": "no address"}]}]}
      """)
    #expect(feed.kind == .manifest && feed.title == "Catalog")
    #expect(feed.next == ["https://h.org/dir/list?cursor=2"])
    #expect(feed.entries.map(\.title) == ["One", "Two"])
    #expect(feed.entries[0].duration == 61 && feed.entries[0].media?.length == 300_000)
    #expect(feed.entries[1].id == "2" && feed.entries[1].media?.url == "https://h.org/dir/two.mp4")
  }

  @Test func jsonWithoutMediaIsNoFeed() {
    #expect(throws: FeedError.notAFeed(looksLike: "a JSON document")) { try feed("{\"a\": [1]}") }
  }

  @Test func aListOfSomethingElseIsNoDirectory() throws {
    #expect(throws: FeedError.self) { try feed("<list><person name='a'/></list>") }
    #expect(try feed("<list><directory>d</directory></list>").entries.isEmpty)
  }
}
