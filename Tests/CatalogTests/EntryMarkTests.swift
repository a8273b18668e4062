import Testing

@testable import Catalog

/// How far a user is with an entry, from one mount to the next.
@Suite(.timeLimit(.minutes(1)))
struct EntryMarkTests {
  private func marked() throws -> Catalog {
    var catalog = try Catalog.after(feed("c b a"))
    catalog.mark(.started, 1)
    catalog.mark(.played, 2)
    return catalog
  }

  @Test func marksAreSaved() throws {
    let catalog = try marked()
    let saved = try Catalog(decoding: catalog.encoded())
    #expect(saved.entries.map(\.mark) == [.started, .played, nil])
    #expect(saved.listing(after: 0).map(\.mark) == [.started, .played, nil])
    #expect(saved == catalog)
  }

  @Test func aSnapshotWithoutMarksHasNewEntries() throws {
    let encoded = try Catalog.after(feed("c b a")).encoded()
    #expect(!String(decoding: encoded, as: UTF8.self).contains("\"mark\""))
    #expect(try Catalog(decoding: encoded).entries.allSatisfy { $0.mark == nil })
  }

  @Test func aMarkOfALaterVersionIsNone() throws {
    let text = String(decoding: try marked().encoded(), as: UTF8.self)
    let later = text.replacing("\"played\"", with: "\"loved\"")
    #expect(later != text)
    let saved = try Catalog(decoding: Array(later.utf8))
    #expect(saved.entries.map(\.mark) == [.started, nil, nil])
  }

  @Test func aMarkStaysWhateverTheFeedDoes() throws {
    var catalog = try marked()
    catalog.read(feed([video("c", title: "Another title"), video("a")]))
    catalog.read(feed("d c b a"))
    #expect(catalog.entries.map(\.mark) == [.started, .played, nil, nil])
  }
}
