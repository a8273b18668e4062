import Testing

@testable import FeedReading

@Suite(.timeLimit(.minutes(1)))
struct EntryIdentityTests {
  static func media(_ name: String) -> String {
    #"<enclosure url="http://x/\#(name).mp4" type="video/mp4"/>"#
  }

  func entries(_ items: String..., channel: String = "") throws -> [Entry] {
    let items = items.map { "<item>\($0)</item>" }.joined()
    return Array(try parse(rss(channel + items, root: podcastRoot)).entries)
  }

  @Test func whatStandsInForAGUIDIsTheLinkTheAddressOrTheTitle() throws {
    let found = try entries(
      "<link>http://x/1</link>" + Self.media("1"),
      "<link>http://x/same</link>" + Self.media("2"), "<link>http://x/same</link>",
      "<title>only a title</title>")
    #expect(found.map(\.idSource) == [.link, .url, .hash, .hash])
    #expect(found.prefix(2).map(\.id) == ["http://x/1", "http://x/2.mp4"])
    #expect(found[2].id != found[3].id)
  }

  @Test func anIDHoldsNoSecretOfItsAddress() throws {
    let found = try entries(#"<enclosure url="http://me:pw@x/1.mp4#t" type="video/mp4"/>"#)
    #expect(found[0].id == "http://x/1.mp4")
  }

  @Test func aDuplicateIDWithOtherMediaIsAnotherEntry() throws {
    let both = try entries("<guid>g</guid>" + Self.media("1"), "<guid>g</guid>" + Self.media("2"))
    let reversed = try entries(
      "<guid>g</guid>" + Self.media("2"), "<guid>g</guid>" + Self.media("1"))
    #expect(both.allSatisfy { $0.id.hasPrefix("g#") && $0.skipped == nil })
    #expect(both.map(\.id) == reversed.map(\.id).reversed())
    #expect(Set(both.map(\.id)).count == 2)
  }

  @Test func aDuplicateWithTheSameMediaIsSkipped() throws {
    let found = try entries(
      "<guid>g</guid><title>a</title>" + Self.media("1"),
      "<guid>g</guid><title>b</title>" + Self.media("1"))
    #expect(found.map(\.id) == ["g", "g"])
    #expect(found.map(\.skipped) == [nil, "a duplicate of an earlier entry"])
    #expect(found[1].media == nil && found[1].alternates.map(\.url) == ["http://x/1.mp4"])
  }

  @Test func theIDOfMediaCCCSurvivesEachEncoding() throws {
    let item = "<guid>http://x/1.mp4?2004</guid><dc:identifier>stable</dc:identifier>"
    let generator = "<generator>media.ccc.de / RSS 0.3.1</generator>"
    #expect(try entries(item, channel: generator).map(\.id) == ["stable"])
    #expect(try entries(item, channel: generator).map(\.idSource) == [.identifier])
    #expect(try entries(item).map(\.id) == ["http://x/1.mp4?2004"])
  }

  @Test func aGUIDIsKeptAsItIsWritten() throws {
    #expect(try entries("<guid> HTTP://X/%7e?a=1&amp;b=2 </guid>")[0].id == "HTTP://X/%7e?a=1&b=2")
  }
}
