import Testing

@testable import Playback

/// The data that the player takes from `.feedfs/feed.json`.
@Suite(.timeLimit(.minutes(1)))
struct PlayedListingTests {
  private static let document = """
    {"feed": {"address": "https://a.org/f", "ended": null, "title": "T", "pages": 1},
     "entries": [
      {"n": 3, "name": "0003.mp4", "id": "x", "title": "A\\u001b[2J\\nb\\u202e", "duration": 61.5},
      {"n": 1, "name": "0001.mp4", "id": "y", "title": "", "duration": null, "more": []}]}
    """

  @Test func entriesComeInTheFeedsOrderWithTitlesThatAreHarmless() throws {
    let listing = try PlayedListing(document: Array(Self.document.utf8), in: "/m/talks")
    #expect(!listing.isWhole)
    #expect(listing.entries.map(\.path) == ["/m/talks/0003.mp4", "/m/talks/0001.mp4"])
    #expect(
      listing.entries.map(\.key) == [
        .init(feed: "https://a.org/f", number: 3, id: "x"),
        .init(feed: "https://a.org/f", number: 1, id: "y"),
      ])
    #expect(listing.entries.map(\.duration) == [61.5, nil])
    #expect(listing.entries[1].title == "0001.mp4")
    let isHarmless = listing.entries[0].title.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && !$0.properties.isBidiControl
    }
    #expect(isHarmless && listing.entries[0].title.hasPrefix("A"))
  }

  /// Positions go by the key.
  @Test func anEntryIsTheSameUnderAnotherName() throws {
    let other = Self.document.replacing("0003.mp4", with: "#A Film: 100%.mp4")
    let renamed = try PlayedListing(document: Array(other.utf8), in: "/m").entries
    let before = try PlayedListing(document: Array(Self.document.utf8), in: "/m").entries
    #expect(renamed.map(\.key) == before.map(\.key))
    #expect(renamed.map(\.path) == ["/m/#A Film: 100%.mp4", "/m/0001.mp4"])
  }

  @Test func severalFeedsAreWholeWhereEachIs() throws {
    let open = PlayedListing([], isWhole: false)
    let whole = PlayedListing([], isWhole: true)
    #expect(!open.followed(by: whole).isWhole && whole.followed(by: whole).isWhole)
  }

  @Test(arguments: ["", "{}", "[]", "{\"feed\": {}, \"entries\": []}"])
  func whatIsNoSuchDocumentIsRefused(text: String) {
    #expect(throws: (any Error).self) {
      try PlayedListing(document: Array(text.utf8), in: "/m")
    }
  }
}
