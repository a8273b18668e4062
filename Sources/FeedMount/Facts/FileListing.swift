import Control
import Feeds
import HTTP
import Storage

/// The files of one feed that a status tells of, as they are listed now.
struct FileListing: Sendable {
  let facts: EntryFacts
  /// In order.
  let numbers: [Int]
  /// The names of those that are listed no longer.
  let gone: [String]
  /// Whether only those are told of that have changed.
  let isPartial: Bool
  /// The cached bytes of all files that are listed.
  let cachedBytes: Int
  let catalog: Catalog

  /// - Parameter revision: only what has changed since then; nil: everything.
  init(of facts: EntryFacts, since revision: Int?) {
    self.facts = facts
    let changed = revision.flatMap { facts.live.changed(since: $0) }
    let catalog = facts.live.catalog
    let listed = catalog.listedNumbers
    self.catalog = catalog
    isPartial = changed != nil
    numbers = changed.map { changed in listed.filter(changed.contains) } ?? listed
    gone = (changed ?? []).sorted().compactMap { catalog.entry(number: $0) }.filter(\.isRemoved)
      .map { facts.prefix + $0.name }
    cachedBytes = listed.reduce(0) { sum, number in
      sum + (catalog.entry(number: number).map { facts.live.holding(of: $0).bytes } ?? 0)
    }
  }
}

/// The files of all feeds of a mount, as far as they were asked for.
struct FileListings: Sendable {
  private let listings: [FileListing]
  /// Which listing, and which number in it.
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
