import Catalog
import FeedReading
import TestSupport
import Testing

/// Rules for when an entry that is missing from the page leaves the listing.
@Suite(.timeLimit(.minutes(1))) struct DisappearanceTests {
  @Test(
    arguments: [
      // first page, second page, numbering afterwards
      ("d c b a", "d c a", "d c (b) a"),
      ("d c b a", "e d c a", "d c (b) a e"),
      ("d c b a", "e d b", "d (c) b a e"),
      ("d c b a", "d c b", "d c b a"),  // off the end
      ("d c b a", "c b a", "d c b a"),  // off the other end
      ("d c b a", "f e", "d c b a f e"),  // the whole window moved
      ("e d c b a", "e a d b", "e d (c) b a"),
      ("d c b a", "a e d c", "d c b a e"),  // "a" moved up, so "b" may have fallen off
      ("d c b a", "a c d", "d c b a"),  // turned round
    ])
  func onlyWhatIsGoneFromBetweenIsRemoved(first: String, second: String, numbering: String) throws {
    let catalog = try Catalog.after(feed(first), feed(second))

    #expect(catalog.numbering == numbering)
    expectInvariants(of: catalog)
  }

  @Test func whatFellOffEarlierIsNotMissedWhenAnOlderOneIsShownAgain() throws {
    let catalog = try Catalog.after(feed("d c b a"), feed("f e d"), feed("f e d a"))

    #expect(catalog.numbering == "d c b a f e")
  }

  @Test func aDateBeyondThePageSaysThatTheWindowMovedOn() throws {
    let pinned = video("pinned", published: noon - 10)
    func day(_ number: Int) -> Entry { video("day\(number)", published: noon - 1000 + number) }

    // "day1" was between "day2" and the entry that the publisher keeps at the bottom.
    let catalog = try Catalog.after(
      feed([day(3), day(2), day(1), pinned]), feed([day(4), day(3), day(2), pinned]))

    #expect(catalog.listed.count == 5)
  }

  /// An entry that cannot be played has no number, but a place on its page.
  @Test func anEntryThatCannotBePlayedDoesNotShiftTheBorderBetweenTwoPages() throws {
    func window(_ last: String) -> Feed {
      feed([video("a"), Entry(id: "text", idSource: .guid), video("b")]).followed(by: feed(last))
    }
    var catalog = try Catalog.after(window("c d e f"))

    let change = catalog.read(window("d f"))

    // "c" may have moved to the first page meanwhile. "e" stood on the second one.
    #expect(change.removed == [5])
    #expect(catalog.numbering == "a b c d (e) f")
  }

  @Test func entriesOfOneDateCanBeRemoved() throws {
    let page = ["c", "b", "a"].map { video($0, published: noon) }

    let catalog = try Catalog.after(feed(page), feed([page[0], page[2]]))

    #expect(catalog.numbering == "c (b) a")
  }

  @Test func anEmptyPageRemovesNothingAndSaysSo() throws {
    var catalog = try Catalog.after(feed("c b a"))
    var empty = feed([], title: "404")
    empty.complete = true

    let change = catalog.read(empty)

    #expect(change.isEmpty && change.ignoredBecause != nil)
    #expect(catalog.numbering == "c b a" && catalog.title == "A feed")
  }

  @Test func aRecoveredPageAddsAndRemovesNothingAndSaysSo() throws {
    var catalog = try Catalog.after(feed("d c b a"))
    var damaged = feed("e d c a")
    damaged.recovered = true

    let change = catalog.read(damaged)

    #expect(change.added == [5] && change.removed == [] && change.ignoredBecause != nil)
    #expect(catalog.numbering == "d c b a e")
  }

  @Test func theEndThatADamagedPageLostIsNotTakenForTheWindowsEnd() throws {
    var cut = feed("d c")
    cut.recovered = true

    let catalog = try Catalog.after(feed("d c b a"), cut, feed("d c a"))

    #expect(catalog.numbering == "d c (b) a")
  }

  @Test(
    arguments: [
      ("f e d c b a", "f e d", "f e d c b a", false),  // off the end, however many
      ("f e d c b a", "f c b a", "f (e) (d) c b a", false),
      ("f e d c b a", "f b a", "f (e) (d) (c) b a", false),  // just half
      ("f e d c b a", "f a", "f e d c b a", true),
      ("f e d c b a", "f d", "f e d c b a", true),
    ])
  func moreThanHalfGoneAtOnceIsNotBelieved(
    first: String, second: String, numbering: String, isIgnored: Bool
  ) throws {
    var catalog = try Catalog.after(feed(first))

    let change = catalog.read(feed(second))

    #expect(catalog.numbering == numbering)
    #expect((change.ignoredBecause != nil) == isIgnored)
    let missing = 1 - Double(second.utf8.count + 1) / Double(first.utf8.count + 1)
    #expect((missing > Figure.missingShare.share) == isIgnored)
  }

  @Test func whatIsNotBelievedOnceIsNotBelievedTwice() throws {
    let catalog = try Catalog.after(feed("f e d c b a"), feed("f a"), feed("f a"), feed("g f a"))

    #expect(catalog.numbering == "f e d c b a g")
  }

  @Test func aCompleteFeedRemovesWhatItDoesNotList() throws {
    var complete = feed("d c")
    complete.complete = true

    let catalog = try Catalog.after(feed("d c b a"), complete)

    #expect(catalog.numbering == "d c (b) (a)")
  }

  @Test func aTombstoneRemovesWhereverTheEntryStood() throws {
    var page = feed("d c")
    page.deleted = ["a", "never seen", "d"]
    var catalog = try Catalog.after(feed("d c b a"))

    let change = catalog.read(page)

    #expect(change.removed == [4])
    #expect(catalog.numbering == "d c b (a)")
  }

  @Test func aTombstoneHoldsOnAPageWithNothingElse() throws {
    var page = feed([])
    page.deleted = ["a"]

    #expect(try Catalog.after(feed("a"), page).numbering == "(a)")
  }

  /// The damage may have taken the entry that shows that the tombstone is wrong.
  @Test func aTombstoneOnADamagedPageRemovesNothing() throws {
    var page = feed("d c b")
    page.deleted = ["a"]
    page.recovered = true
    var catalog = try Catalog.after(feed("d c b a"))

    #expect(catalog.read(page).removed == [])
    _ = catalog.extend(with: page, now: noon) { _ in "mp4" }
    #expect(catalog.dropGone { _ in false } == [])

    page.recovered = false
    #expect(catalog.read(page).removed == [4])
  }

  @Test func whatIsNeededStaysUntilItIsNot() throws {
    var catalog = try Catalog.after(feed("d c b a"))

    let change = catalog.read(feed("d c a")) { $0 == 3 }
    #expect(change.removed == [])
    #expect(catalog.numbering == "d c b a" && catalog.ordering == "d c b a")

    catalog.read(feed("e d c a")) { $0 == 3 }
    #expect(catalog.ordering == "e d c b a")
    #expect(catalog.dropGone { $0 == 3 } == [])
    #expect(catalog.dropGone { _ in false } == [3])
    #expect(catalog.numbering == "d c (b) a e" && catalog.ordering == "e d c a")
  }

  @Test func whatWasKeptAndIsBackIsAsBefore() throws {
    var catalog = try Catalog.after(feed("c b a"))
    catalog.read(feed("c a")) { _ in true }

    let change = catalog.read(feed("c b a"))

    #expect(change.isEmpty)
    #expect(catalog.dropGone { _ in false } == [])
  }

  @Test func anEntryThatComesBackIsTheOneThatItWas() throws {
    var catalog = try Catalog.after(feed("c b a"), feed("c a"))

    let change = catalog.read(feed("d c b a"))

    #expect(change.added == [2, 4])
    #expect(catalog.entry(named: "0002.mp4")?.inode == 17)
    #expect(catalog.ordering == "d c b a")
  }
}
