import Addresses
import FeedReading

/// Matches the entries of a page with the entries of the catalog.
///
/// Entries with the same id match. But publishers change ids. So an entry with an unknown id is
/// compared with the known entries that have no match yet. It matches one of them if the address is
/// the same, or else if title, date and length are the same. Such a match must be unique: no other
/// entry of the page, and no other known entry, fits as well.
struct EntryMatch {
  /// For each entry of the page, the number of the matching entry in the catalog; nil if there is
  /// none.
  private(set) var numbers: [Int?]

  private let page: PackedArray<Entry>
  private let catalog: PackedArray<CatalogEntry>
  private var isFound: [Bool]

  /// - Parameters:
  ///   - page: the entries of a page, including those that cannot be played.
  ///   - hashes: the hashes of the page's entries.
  ///   - catalog: all entries of the catalog. The entry with number n is at index n - 1.
  ///   - seen: the hashes of the entries as the last page had them. An entry with the same hash as
  ///     then needs no comparison.
  init(
    of page: PackedArray<Entry>, hashes: [Int], in catalog: PackedArray<CatalogEntry>,
    seen: SeenEntries
  ) {
    self.page = page
    self.catalog = catalog
    numbers = Array(repeating: nil, count: page.count)
    isFound = Array(repeating: false, count: catalog.count)
    guard !catalog.isEmpty else { return }

    let same = seen.numbers
    var known = hashes.map { same[$0].map(Int.init) }
    let others = known.indices.filter { known[$0] == nil }
    if !others.isEmpty {
      let ids = numbersByID()
      for place in others {
        known[place] = ids[EntryIdentity.hash(of: page.id(at: place))].map(Int.init)
      }
    }
    for (place, number) in known.enumerated() {
      guard let number, same[hashes[place]] != nil || hasSameAddress(place, number) else {
        continue
      }
      take(number, at: place)
    }
    guard numbers.contains(nil) else { return }
    // Addresses are compared before ids alone. If two entries have the same id, their keys are "id"
    // and "id#…", and the id alone can lead to the wrong entry.
    let addresses = AddressHashes(
      page: page.indices.map { numbers[$0] == nil ? Self.hash(page.look(at: $0).address) : nil },
      catalog: catalog.indices.map { isFound[$0] ? nil : Self.hash(catalog.look(at: $0).address) })
    matchUnique(addresses) { Self.isMarked($0.id, $1.id) }
    for case (let place, let number?) in known.enumerated() { take(number, at: place) }
    matchUnique(addresses) { _, _ in true }
    matchLooks()
  }

  // MARK: By id

  /// Returns the numbers of the known entries by the hashes of their ids. An alias takes precedence
  /// over a key, because it is the feed's present id.
  private func numbersByID() -> [Int: Int32] {
    var numbers: [Int: Int32] = [:]
    numbers.reserveCapacity(catalog.count)
    for place in catalog.indices {
      numbers[EntryIdentity.hash(of: catalog.key(at: place))] = Int32(place + 1)
    }
    for place in catalog.indices {
      guard let alias = catalog.alias(at: place) else { continue }
      numbers[EntryIdentity.hash(of: alias)] = Int32(place + 1)
    }
    return numbers
  }

  /// Whether the entry at `place` of the page has the media address of the known entry `number`.
  private func hasSameAddress(_ place: Int, _ number: Int) -> Bool {
    guard let address = page.look(at: place).address else { return false }
    let known = catalog.look(at: number - 1).address
    return address == known || WebAddress.likeness(of: address) == WebAddress.likeness(of: known)
  }

  // MARK: By address

  /// Hashes of the media addresses of unmatched entries; nil for matched entries, and for entries
  /// without an address. Hashes are used because there can be very many entries, and hashes take
  /// less memory than addresses.
  private struct AddressHashes {
    let page: [Int?]
    let catalog: [Int?]
  }

  /// Matches an entry of the page with the known entry that has the same address. Only one
  /// unmatched entry of the page and one of the catalog are allowed to have the address, and
  /// `isSame` must be true for the two.
  private mutating func matchUnique(
    _ addresses: AddressHashes, where isSame: (Entry, CatalogEntry) -> Bool
  ) {
    let wanted = Self.unique(addresses.page) { numbers[$0] == nil }
    guard !wanted.isEmpty else { return }
    let left = Self.unique(addresses.catalog) { !isFound[$0] }
    for (address, place) in wanted {
      guard let place, let index = left[address] ?? nil, isSame(page[place], catalog[index]) else {
        continue
      }
      take(index + 1, at: place)
    }
  }

  /// Returns a hash of the address. It ignores parts that can change while the bytes stay the same:
  /// http or https, userinfo, fragment.
  private static func hash(_ address: String?) -> Int? {
    address.map { EntryIdentity.hash(of: WebAddress.likeness(of: $0)) }
  }

  /// Whether one id is the other id with a suffix behind "#". Such a suffix distinguishes entries
  /// with the same id.
  private static func isMarked(_ one: String, _ other: String) -> Bool {
    one.hasPrefix(other + "#") || other.hasPrefix(one + "#")
  }

  // MARK: By looks

  /// Matches entries with the same title, date and claimed length. No other entry of the page or of
  /// the catalog is allowed to have the same title and date.
  private mutating func matchLooks() {
    let left = page.indices.filter { numbers[$0] == nil }
    let wantedLooks = Set(left.compactMap(looks(onPage:)))
    guard !wantedLooks.isEmpty else { return }
    let wanted = Self.unique(
      page.indices.map { self.looks(onPage: $0).flatMap { wantedLooks.contains($0) ? $0 : nil } })
    let known = Self.unique(
      catalog.indices.map {
        self.looks(inCatalog: $0).flatMap { wantedLooks.contains($0) ? $0 : nil }
      })
    for (looks, place) in wanted {
      guard let place, numbers[place] == nil, let index = known[looks] ?? nil,
        let length = page[place].media?.credibleLength, length == catalog[index].claimedLength
      else { continue }
      take(index + 1, at: place)
    }
  }

  private func looks(onPage place: Int) -> Int? {
    let look = page.look(at: place)
    return Self.looks(title: look.title, published: look.published)
  }

  private func looks(inCatalog place: Int) -> Int? {
    let look = catalog.look(at: place)
    return Self.looks(title: look.title, published: look.published)
  }

  /// Returns a hash of title and date; nil if one is missing.
  private static func looks(title: String, published: Int?) -> Int? {
    guard let published, !title.isEmpty else { return nil }
    var hasher = Hasher()
    hasher.combine(published)
    hasher.combine(title)
    return hasher.finalize()
  }

  // MARK: Common

  private mutating func take(_ number: Int, at place: Int) {
    guard numbers[place] == nil, !isFound[number - 1] else { return }
    numbers[place] = number
    isFound[number - 1] = true
  }

  /// Returns the place of each value in `values`; nil for a value that occurs several times.
  private static func unique<Value: Hashable>(
    _ values: [Value?], where isWanted: (Int) -> Bool = { _ in true }
  ) -> [Value: Int?] {
    var places: [Value: Int?] = [:]
    for (place, value) in values.enumerated() {
      guard let value, isWanted(place) else { continue }
      places.updateValue(places.keys.contains(value) ? nil : place, forKey: value)
    }
    return places
  }
}
