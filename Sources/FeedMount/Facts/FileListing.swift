import Control
import Catalog
import HTTP
import Storage

/// The listed files of one feed, as one status shows them.
struct FileListing: Sendable {
  let facts: EntryFacts
  /// The numbers of the entries that the status names, in order.
  let numbers: [Int]
  /// The names of files that are listed no longer.
  let gone: [String]
  /// True if the status names only changed files.
  let isPartial: Bool
  /// The cached bytes of all listed files.
  let cachedBytes: Int
  let catalog: Catalog

  /// - Parameter revision: the status has only the changes since this revision; nil for all files.
  init(of facts: EntryFacts, since revision: Int?) {
    self.facts = facts
    let changed = revision.flatMap { facts.live.changed(since: $0) }
    let catalog = facts.live.catalog
    let listed = catalog.listedNumbers
    self.catalog = catalog
    isPartial = changed != nil
    numbers = changed.map { changed in listed.filter(changed.contains) } ?? listed
    gone = (changed ?? []).sorted().compactMap { catalog.entry(number: $0) }
      .filter { $0.isRemoved || catalog.leavesOut($0.number) }
      .map { facts.prefix + $0.name }
    cachedBytes = listed.reduce(0) { sum, number in
      sum + (catalog.entry(number: number).map { facts.live.holding(of: $0).bytes } ?? 0)
    }
  }
}

/// The listed files of all feeds of a mount, cut to the requested part.
struct FileListings: Sendable {
  private let listings: [FileListing]
  /// For each file the index of its listing in `listings`, and the number of its entry in that
  /// feed.
  private let places: [(listing: Int, number: Int)]
  private let origins: [String: OriginReport]

  init(_ listings: [FileListing], _ part: StatusPart, _ origins: [String: OriginReport]) {
    let all = listings.enumerated().flatMap { index, listing in
      listing.numbers.map { (listing: index, number: $0) }
    }
    self.listings = listings
    self.origins = origins
    places = Array(all[part.places(of: all.count)])
  }

  var count: Int { places.count }

  subscript(_ range: Range<Int>) -> [FileStatus] {
    places[range].compactMap { place in
      let listing = listings[place.listing]
      return listing.catalog.entry(number: place.number).map {
        listing.facts.status(of: $0, origins)
      }
    }
  }
}
