import Addresses
import Control
import HTTP
import Settings
import Testing

@testable import CommandTools
@testable import FeedMount

/// Subscriptions to feeds that have moved.
@Suite(.timeLimit(.minutes(1)))
struct MovedSubscriptionsTests {
  private static let old = "http://u:p@a.example/feed?key=1"
  private static let key = "http://a.example/feed?key=1"
  private static let new = "https://b.example/feed?key=2"

  private func text(_ feeds: [(url: String, was: String?)]) throws -> SettingsText {
    try SettingsText(
      feeds.map { feed in
        "[[feed]]\nurl = \"\(feed.url)\"\n" + (feed.was.map { "was = \"\($0)\"\n" } ?? "")
      }.joined())
  }

  private func move(to url: String, former: [String] = []) -> FeedMoves.Move {
    FeedMoves.Move(feed: Self.key, to: url, former: former)
  }

  @Test func theSubscriptionGetsTheNewAddressAndKeepsTheTypedOne() throws {
    var file = try text([("http://c.example/", nil), (Self.old, nil)])
    let told = try MovedSubscriptions.rewrite(&file, [move(to: Self.new)])
    #expect(file.settings.feeds.map(\.url) == ["http://c.example/", Self.new])
    #expect(file.settings.feeds.map(\.was) == [nil, Self.old])
    #expect(told.count == 1 && told[0].contains("b.example"))
    #expect(!told[0].contains("key=") && !told[0].contains("u:p"))
    // It is written once.
    let once = file
    let again = try MovedSubscriptions.rewrite(&file, [move(to: Self.new)])
    #expect(again == [] && file == once)
  }

  @Test func aFeedThatIsBackIsWrittenAsTheUserWroteIt() throws {
    var file = try text([(Self.new, Self.old)])
    _ = try MovedSubscriptions.rewrite(&file, [move(to: Self.key, former: [Self.new])])
    let typed = try text([(Self.old, nil)])
    #expect(file == typed)
  }

  @Test func anAddressThatTheUserHasChangedStays() throws {
    let changed: [(url: String, was: String?)] = [
      ("https://mine.example/", Self.old), ("http://c.example/", nil),
    ]
    for feed in changed {
      let before = try text([feed])
      var file = before
      let told = try MovedSubscriptions.rewrite(&file, [move(to: Self.new)])
      #expect(told == [] && file == before)
    }
  }

  @Test func noTwoSubscriptionsGetTheSameAddress() throws {
    var file = try text([(Self.old, nil), (Self.new, nil)])
    let told = try MovedSubscriptions.rewrite(&file, [move(to: Self.new)])
    #expect(told.count == 1 && told[0].contains("you also subscribe"))
    #expect(file.settings.feeds.map(\.url) == [Self.old, Self.new])
  }

  @Test func aFeedIsKnownByBothAddresses() throws {
    let settings = try text([(Self.new, Self.old), ("http://c.example/", nil)]).settings
    for place in [Self.old, Self.key, Self.new] {
      #expect(Subscriptions.known(place, in: settings)?.was == Self.old)
    }
    // The one that was subscribed to at an address comes before the one that has moved there.
    let both = try text([(Self.new, Self.old), (Self.new, nil)]).settings
    #expect(Subscriptions.known(Self.new, in: both)?.was == nil)
  }

  @Test func keyAndSecretsAreThoseOfTheTypedAddress() throws {
    let settings = try Settings(
      toml: "[[feed]]\nurl = \"\(Self.new)\"\nwas = \"\(Self.old)\"\nheaders = { X = \"y\" }")
    let subscription = try #require(settings.feeds.first)
    let choice = FeedChoice(subscription, nil, over: settings)
    try choice.check()
    #expect(choice.address == Self.old && choice.moved == Self.new)
    #expect(choice.firstAsked == Self.new)
    #expect(choice.typed?.address.host == "a.example")
    let plain = FeedChoice(Subscription(url: Self.old), nil, over: Settings())
    #expect(plain.moved == nil && plain.firstAsked == plain.firstPage)
  }

  @Test(arguments: [
    ("/list.m3u", "http://a.example/"), ("http://", "http://a.example/"),
    ("http://b.example/", "/feed.xml"), ("ftp://b.example/", "http://a.example/"),
  ])
  func onlyWebAddressesMove(url: String, was: String) throws {
    var subscription = Subscription(url: url)
    subscription.was = was
    let choice = FeedChoice(subscription, nil, over: Settings())
    #expect(throws: (any Error).self) { try choice.check() }
  }
}
