import Catalog
import FeedReading
import Testing

/// An entry stays the same when its publisher changes its id, address or title.
@Suite(.timeLimit(.minutes(1))) struct EntryMatchTests {
  @Test func theSameAddressUnderANewIdIsTheSameEntry() throws {
    var catalog = try Catalog.after(feed("b a"))

    let change = catalog.read(feed([video("b"), video("a2", url: "https://media.example/a.mp4")]))

    #expect(change.added == [] && change.removed == [])
    #expect(catalog.numbering == "b a")
    #expect(catalog.entry(number: 2)?.alias == "a2")
  }

  @Test(arguments: [
    "http://media.example/a.mp4", "HTTPS://Media.Example:443/a.mp4",
    "https://user@media.example/a.mp4#t=10",
  ])
  func anotherSpellingOfTheAddressIsTheSameAddress(url: String) throws {
    let catalog = try Catalog.after(feed("b a"), feed([video("b"), video("a2", url: url)]))

    #expect(catalog.numbering == "b a")
    #expect(catalog.entry(number: 2)?.media.url == url)
  }

  @Test(arguments: [
    "https://media.example/A.mp4", "https://media.example/a.mp4?id=2", "not an address",
    "https://media.example:8443/a.mp4",
  ])
  func anotherAddressUnderANewIdIsAnotherEntry(url: String) throws {
    let catalog = try Catalog.after(feed("b a"), feed([video("b"), video("a2", url: url)]))

    #expect(catalog.numbering == "b a a2")
  }

  @Test func aNewIdIsRememberedWhenTheAddressChangesToo() throws {
    let catalog = try Catalog.after(
      feed("b a"), feed([video("b"), video("a2", url: "https://media.example/a.mp4")]),
      feed([video("b"), video("a2", url: "https://media.example/other.mp4")]))

    #expect(catalog.numbering == "b a")
    #expect(catalog.entry(number: 2)?.media.url == "https://media.example/other.mp4")
  }

  @Test func theFirstIdStillCountsAfterAChangeBack() throws {
    let catalog = try Catalog.after(
      feed("b a"), feed([video("b"), video("a2", url: "https://media.example/a.mp4")]),
      feed([video("b"), video("a", url: "https://media.example/other.mp4")]))

    #expect(catalog.numbering == "b a")
    #expect(catalog.entry(number: 2)?.alias == nil)
  }

  @Test func anAddressThatSeveralShareIsNoProof() throws {
    let live = "https://media.example/live.mp4"

    let catalog = try Catalog.after(
      feed([video("a", url: live), video("b", url: live)]), feed([video("c", url: live)]))

    #expect(catalog.numbering == "a b c")
  }

  @Test func swappedAddressesDoNotSwapTheEntries() throws {
    let catalog = try Catalog.after(
      feed([video("b", url: "https://m.example/1"), video("a", url: "https://m.example/2")]),
      feed([video("b", url: "https://m.example/2"), video("a", url: "https://m.example/1")]))

    #expect(catalog.numbering == "b a")
    #expect(catalog.entries.map(\.media.url) == ["https://m.example/2", "https://m.example/1"])
  }

  @Test func addressesThatMoveOnByOneLeaveTheEntriesWhereTheyAre() throws {
    func post(_ id: String, _ number: Int) -> Entry {
      video("https://example.org/#\(id)", url: "https://m.example/\(number)")
    }

    let catalog = try Catalog.after(
      feed([post("b", 2), post("a", 1)]), feed([post("b", 3), post("a", 2)]))

    #expect(catalog.entries.map(\.media.url) == ["https://m.example/3", "https://m.example/2"])
  }

  @Test func sameTitleDateAndLengthUnderANewIdAndAddressIsTheSameEntry() throws {
    let old = video("a", title: "Talk", published: 77, length: 1 << 20)
    let new = video("z", title: "Talk", published: 77, length: 1 << 20)

    let catalog = try Catalog.after(feed([video("b"), old]), feed([video("b"), new]))

    #expect(catalog.numbering == "b a")
    #expect(catalog.entry(number: 2)?.media.url == "https://media.example/z.mp4")
  }

  @Test(
    arguments: [
      video("z", title: "Talk", published: 77, length: (1 << 20) + 1),
      video("z", title: "Talk", published: 77, length: nil),
      video("z", title: "Talk", published: 78, length: 1 << 20),
      video("z", title: "Talk", published: nil, length: 1 << 20),
      video("z", title: "Walk", published: 77, length: 1 << 20),
    ])
  func oneDifferenceMakesAnotherEntry(new: Entry) throws {
    let old = video("a", title: "Talk", published: 77, length: 1 << 20)

    let catalog = try Catalog.after(feed([video("b"), old]), feed([video("b"), new]))

    #expect(catalog.numbering == "b a z")
  }

  @Test func placeholdersForALengthAreNoProof() throws {
    let old = video("a", title: "Talk", published: 77, length: 1024)
    let new = video("z", title: "Talk", published: 77, length: 1024)

    #expect(try Catalog.after(feed([old]), feed([new])).numbering == "a z")
  }

  @Test func looksThatSeveralShareAreNoProof() throws {
    func twin(_ id: String) -> Entry { video(id, title: "News", published: 77, length: 1 << 20) }

    let before = try Catalog.after(feed([twin("a"), twin("b")]), feed([twin("a"), twin("c")]))
    let after = try Catalog.after(feed([twin("a")]), feed([twin("b"), twin("c")]))

    #expect(before.numbering == "a b c")
    #expect(after.numbering == "a b c")
  }

  @Test func anIdThatIsUsedAgainGoesWithTheAddress() throws {
    func part(_ id: String, _ number: Int) -> Entry {
      video(id, url: "https://media.example/part\(number).mp4")
    }
    // The publisher gives every entry the id "g"; the parser has to tell the entries apart.
    let catalog = try Catalog.after(
      feed([part("g", 1)]), feed([part("g", 2), part("g#1a", 1)]),
      feed([part("g", 3), part("g#2b", 2), part("g#1a", 1)]), feed([part("g", 2)]))

    #expect(
      catalog.entries.map(\.media.url) == [
        "https://media.example/part1.mp4", "https://media.example/part2.mp4",
        "https://media.example/part3.mp4",
      ])
    expectInvariants(of: catalog)
  }

  @Test func oneIdForTwoEntriesOfAPageIsStillTwoEntries() throws {
    let page = feed([
      video("g", url: "https://m.example/1"), video("g", url: "https://m.example/2"),
    ])

    let catalog = try Catalog.after(page, page, page)

    #expect(catalog.numbering == "g g#2")
    expectInvariants(of: catalog)
    #expect(try Catalog(decoding: catalog.encoded()) == catalog)
  }
}
