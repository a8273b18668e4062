import Catalog
import Testing

@Suite(.timeLimit(.minutes(1))) struct CatalogSavingTests {
  @Test func whatIsNotOnTheDiskIsNotListed() throws {
    let catalog = try waiting()

    #expect(catalog.listed.map(\.key) == ["a", "b"])
    #expect(catalog.inFeedOrder.map(\.key) == ["b", "a"])
    #expect(catalog.upNext.map(\.key) == ["b", "a"])
    #expect(catalog.entry(named: "0003.mp4") == nil)
    #expect(catalog.entry(titled: "2026-05-28 Title of c.mp4") == nil)
    #expect(catalog.listing(after: 1).map(\.number) == [2])
    #expect((0...5).filter(catalog.isListed) == [1, 2])
    #expect((catalog.listedCount, catalog.waitingCount) == (2, 2))
  }

  @Test func beforeTheFirstSaveNothingIsListed() throws {
    var catalog = try Catalog.after(feed("b a"))
    catalog.wait(from: 1)

    #expect((0...3).filter(catalog.isListed) == [] && catalog.upNext.isEmpty)
    #expect(catalog.entry(named: "0001.mp4") == nil && catalog.listed.isEmpty)
  }

  @Test func itIsListedWhenItIsOnTheDisk() throws {
    var catalog = try waiting()

    #expect(catalog.saved(before: 4) == 3..<4)
    #expect(catalog.inFeedOrder.map(\.key) == ["c", "b", "a"])
    #expect(catalog.saved(before: 4) == nil)
    #expect(catalog.saved(before: 5) == 4..<5)
    #expect(catalog.inFeedOrder.map(\.key) == ["d", "c", "b", "a"])
    #expect(catalog.waitingCount == 0)
  }

  @Test func whatComesMeanwhileWaitsAsWell() throws {
    var catalog = try waiting()
    let next = catalog.nextNumber
    catalog.read(feed("e d c b a"))
    catalog.wait(from: next)

    #expect(catalog.listed.map(\.key) == ["a", "b"])
    #expect(catalog.saved(before: next) == 3..<5)
    #expect(catalog.inFeedOrder.map(\.key) == ["d", "c", "b", "a"])
  }

  @Test func aRefreshWithoutNewsMakesNothingWait() throws {
    var catalog = try Catalog.after(feed("b a"))
    catalog.wait(from: catalog.nextNumber)

    #expect(catalog.waitingCount == 0)
  }

  @Test func aSnapshotHoldsWhatWaitsAndListsItAfterwards() throws {
    let catalog = try waiting()

    let read = try Catalog(decoding: catalog.encoded())

    #expect(read.inFeedOrder.map(\.key) == ["d", "c", "b", "a"])
    #expect(read.waitingCount == 0)
  }

  /// A catalog with two entries on the disk, and two that wait for the disk.
  private func waiting() throws -> Catalog {
    var catalog = try Catalog.after(feed("a"), feed("b a"))
    let next = catalog.nextNumber
    catalog.read(feed("c b a"))
    catalog.read(feed("d c b a"))
    catalog.wait(from: next)
    return catalog
  }
}
