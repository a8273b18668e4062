import FeedReading
import TestSupport
import Testing

@testable import Catalog

/// The decisions about a feed that says that it has moved.
@Suite(.timeLimit(.minutes(1)))
struct FeedMoveTests {
  private static let home = "https://a.example/feed"
  private static let other = "https://b.example/feed"
  private static let third = "https://c.example/feed"

  private var move = FeedMove()

  /// A refresh whose answer names these addresses; `isNews` is false for an unchanged page.
  private mutating func refresh(
    redirect: String? = nil, announcing: String? = nil, unfit: String? = nil, isNews: Bool = true,
    asking: String? = nil
  ) -> FeedMove.Step {
    let page = FeedMove.Page(announced: announcing, unfit: unfit)
    let sight = FeedMove.Sight(
      asked: asking ?? move.address ?? Self.home, redirect: redirect, page: isNews ? page : nil)
    return move.saw(sight, home: Self.home)
  }

  private mutating func reached(
    _ address: String, announcing: String? = nil, unfit: String? = nil, from place: String? = nil
  ) -> Bool {
    move.reached(
      address, FeedMove.Page(announced: announcing, unfit: unfit), from: place ?? address,
      home: Self.home)
  }

  private var pending: String? { move.pending { $0 } }

  /// A feed that has followed redirects to `address`.
  private mutating func follow(to address: String) {
    _ = refresh(redirect: address)
    #expect(refresh(redirect: address) == .followed(address))
    #expect(move.address == address)
  }

  @Test mutating func aRedirectIsFollowedWhenAsManyRefreshesAgreeAsArePromised() {
    #expect(FeedMove.agreement == Figure.moveAgreement.count)
    for _ in 1..<Figure.moveAgreement.count {
      #expect(refresh(redirect: Self.other) == .stay)
      #expect(move.address == nil && !move.hasHappened)
      #expect(pending?.contains("if the next refresh says the same") == true)
    }
    #expect(refresh(redirect: Self.other) == .followed(Self.other))
    #expect(move.address == Self.other && move.hasHappened && pending == nil)
  }

  @Test mutating func anAnnouncedAddressIsAskedBeforeItIsFollowed() {
    #expect(refresh(announcing: Self.other) == .stay)
    #expect(refresh(announcing: Self.other) == .ask(Self.other))
    #expect(move.address == nil)
    #expect(reached(Self.other, announcing: Self.other) == true)
    #expect(move.address == Self.other && pending == nil)
    #expect(refresh(announcing: Self.other) == .stay)
  }

  @Test mutating func aPageThatHasNotChangedStillSaysWhatItSaid() {
    #expect(refresh(announcing: Self.other) == .stay)
    #expect(refresh(isNews: false) == .ask(Self.other))
  }

  @Test mutating func aRedirectToAnUnchangedPageCounts() {
    #expect(refresh(redirect: Self.other) == .stay)
    #expect(refresh(redirect: Self.other, isNews: false) == .followed(Self.other))
  }

  @Test mutating func aMoveThatIsTakenBackIsForgotten() {
    #expect(refresh(announcing: Self.other) == .stay)
    #expect(refresh() == .stay)
    #expect(pending == nil && move == FeedMove())
    #expect(refresh(announcing: Self.other) == .stay)
  }

  @Test mutating func movesThatDifferNeverAgree() {
    for _ in 0..<5 {
      #expect(refresh(announcing: Self.other) == .stay)
      #expect(refresh(redirect: Self.third) == .stay)
    }
    #expect(move.address == nil)
  }

  @Test mutating func theRedirectCountsBeforeThePageBehindIt() {
    _ = refresh(redirect: Self.other, announcing: Self.third)
    #expect(refresh(redirect: Self.other, announcing: Self.third) == .followed(Self.other))
    #expect(refresh(announcing: Self.third) == .stay)
    #expect(refresh(announcing: Self.third) == .ask(Self.third))
  }

  @Test(arguments: [
    home, home + "#top", "HTTPS://A.example:443/feed", "http://a.example/feed",
    "https://user:secret@a.example/feed", "file:///etc/passwd", "/etc/passwd", "ftp://b.example/",
    "", "nonsense",
  ])
  mutating func itsOwnAddressAndWhatCannotBeAskedAreNoMoves(address: String) {
    for _ in 0..<4 { #expect(refresh(announcing: address) == .stay) }
    #expect(pending == nil && move.address == nil)
  }

  @Test mutating func noMoveLeadsFromHTTPSDownToHTTP() {
    for _ in 0..<8 { #expect(refresh(announcing: "http://b.example/feed") == .stay) }
    #expect(move.address == nil)
    #expect(pending?.contains("from https to http") == true)
  }

  @Test(arguments: [
    "the new address lists no entries", "the new address has a list of feeds",
    "the new address has no feed",
  ])
  mutating func whatCannotBeTheFeedIsNotFollowedAndTold(unfit: String) {
    _ = refresh(redirect: Self.other, unfit: unfit)
    #expect(refresh(redirect: Self.other, unfit: unfit) == .stay)
    #expect(move.address == nil && pending?.contains(unfit) == true)
    #expect(reached(Self.other, unfit: unfit) == false)
    #expect(refresh(redirect: Self.other) == .followed(Self.other))
  }

  @Test func aPageIsJudgedByItsContent() {
    var empty = Feed(kind: .rss)
    empty.newURL = Self.other
    #expect(FeedMove.Page(empty, before: .rss).unfit == "the new address lists no entries")
    #expect(FeedMove.Page(empty, before: .rss).announced == Self.other)
    #expect(FeedMove.Page(feed("a"), before: .atom).unfit == nil)
    var listing = feed("a")
    listing.kind = .index
    #expect(FeedMove.Page(listing, before: .index).unfit == nil)
    #expect(FeedMove.Page(listing, before: .rss).unfit == "the new address has no feed")
    #expect(
      FeedMove.Page(Feed(kind: .opml), before: nil).unfit == "the new address has a list of feeds")
  }

  @Test mutating func anAddressThatFailsIsAskedMoreAndMoreSeldom() {
    var asked: [Int] = []
    for number in 1...33 where refresh(announcing: Self.other) == .ask(Self.other) {
      asked.append(number)
      move.failed("it does not answer")
      #expect(pending?.contains("does not follow: it does not answer") == true)
    }
    #expect(asked == [2, 4, 8, 16, 32] && move.address == nil)
  }

  @Test mutating func addressesThatNameEachOtherAreALoop() {
    _ = refresh(announcing: Self.other)
    #expect(refresh(announcing: Self.other) == .ask(Self.other))
    #expect(reached(Self.other, announcing: Self.home) == false)
    #expect(move.address == nil && pending?.contains("names the other") == true)
    #expect(reached(Self.third, from: Self.home) == false)
    #expect(pending?.contains("leads back") == true)
  }

  @Test mutating func aLoopOfThreeAddressesComesToRest() {
    follow(to: Self.other)
    follow(to: Self.third)
    _ = refresh(announcing: Self.home)
    #expect(refresh(announcing: Self.home) == .ask(Self.home))
    #expect(reached(Self.home, announcing: Self.other) == false)
    #expect(move.address == Self.third)
  }

  @Test mutating func aFeedMovesOnAndBack() {
    follow(to: Self.other)
    follow(to: Self.third)
    #expect(move.former == [Self.other])
    _ = refresh(redirect: Self.home)
    #expect(refresh(redirect: Self.home) == .followed(Self.home))
    #expect(move.address == nil && move.hasHappened)
    #expect(move.former == [Self.other, Self.third])
  }

  @Test mutating func theOldAddressCountsAgainWhenTheNewOneFails() {
    follow(to: Self.other)
    move.failed("it does not answer")
    // The old one still names the new one.
    #expect(refresh(announcing: Self.other, asking: Self.home) == .stay)
    #expect(move.address == Self.other && pending?.contains("does not answer") == true)
    #expect(refresh() == .stay)
    #expect(move.address == Self.other && pending == nil)
    // It names no other one any more.
    #expect(refresh(asking: Self.home) == .stay)
    #expect(refresh(asking: Self.home) == .followed(Self.home))
    #expect(move.address == nil)
  }

  @Test mutating func itRemembersFewFormerAddresses() {
    for number in 1...40 { follow(to: "https://h\(number).example/feed") }
    #expect(move.former.count == 10 && move.former.last == "https://h39.example/feed")
  }

  @Test mutating func theSubscriptionIsBelievedWhenTheUserChangesIt() {
    move.subscribed(to: Self.other)
    #expect(move.address == Self.other)
    follow(to: Self.third)
    // The next mount finds the subscription as it was, or rewritten to one of both addresses.
    for named in [Self.other, Self.third, Self.other] {
      move.subscribed(to: named)
      #expect(move.address == Self.third)
    }
    move.subscribed(to: "https://d.example/feed")
    #expect(move.address == "https://d.example/feed")
    move.subscribed(to: nil)
    #expect(move.address == nil)
  }

  @Test mutating func aMoveIsPartOfTheSnapshot() throws {
    var catalog = try Catalog.after(feed("b a"))
    #expect(!String(decoding: catalog.encoded(), as: UTF8.self).contains("\"move\""))
    _ = refresh(announcing: Self.other)
    catalog.move = move

    let decoded = try Catalog(decoding: catalog.encoded())

    #expect(decoded == catalog && decoded.numbering == catalog.numbering)
    move = decoded.move
    #expect(refresh(isNews: false) == .ask(Self.other))
    #expect(reached(Self.other) == true)
    catalog.move = move
    #expect(try Catalog(decoding: catalog.encoded()).move.address == Self.other)
  }
}
