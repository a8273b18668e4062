import Addresses
import FeedReading

/// Matches the entries of a page with the entries of the catalog.
///
/// The id decides. But publishers change ids. So an entry with an unknown id is compared with the
/// entries that have no match yet. It counts as one of them if the address is the same, or else
/// title, date and length. The match must be unique on both sides.
struct EntryMatch {
  /// For each entry of the page, the number of its entry in the catalog.
  private(set) var numbers: [Int?]

  private let page: PackedArray<Entry>
  private let catalog: PackedArray<CatalogEntry>
  private var isFound: [Bool]

  /// Marks that tell entries apart. They are small, because there may be very many entries.
  private struct Marks {
    var addresses: [Int?] = []
    var looks: [Int?] = []
  }

  /// - Parameters:
  ///   - page: the entries of a page, including those that cannot be played.
  ///   - catalog: all entries of the catalog, the one with number n at index n - 1.
  init(of page: PackedArray<Entry>, in catalog: PackedArray<CatalogEntry>) {
    self.page = page
    self.catalog = catalog
    numbers = Array(repeating: nil, count: page.count)
    isFound = Array(repeating: false, count: catalog.count)
    guard !catalog.isEmpty else { return }

    var (pageMarks, marks) = (Marks(), Marks())
    var (keys, aliases): ([Int: Int32], [Int: Int32]) = ([:], [:])
    for entry in catalog {
      marks.addresses.append(Self.address(of: entry.media))
      marks.looks.append(Self.looks(title: entry.title, published: entry.published))
      let number = Int32(entry.number)
      keys[EntryIdentity.mark(of: entry.key)] = number
      if let alias = entry.alias { aliases[EntryIdentity.mark(of: alias)] = number }
    }
    // An alias counts more than a key, because it is the feed's present id.
    var known: [Int?] = []
    for entry in page {
      pageMarks.addresses.append(entry.media.map { Self.address(of: $0) })
      pageMarks.looks.append(Self.looks(title: entry.title, published: entry.published))
      let id = EntryIdentity.mark(of: entry.id)
      known.append((aliases[id] ?? keys[id]).map(Int.init))
    }
    for (place, number) in known.enumerated() {
      guard let number, marks.addresses[number - 1] == pageMarks.addresses[place] else { continue }
      take(number, at: place)
    }
    guard numbers.contains(nil) else { return }
    // This comes before the match by the bare id. If an id was used twice, "id" and "id#…" may swap
    // their entries.
    matchUnique(pageMarks, marks) { Self.isMarked($0.id, $1.id) }
    for case (let place, let number?) in known.enumerated() { take(number, at: place) }
    matchUnique(pageMarks, marks) { _, _ in true }
    matchLooks(pageMarks, marks)
  }

  // MARK: By address

  /// Matches entries with the same address if no two unmatched entries on one side share it.
  private mutating func matchUnique(
    _ pageMarks: Marks, _ marks: Marks, where isSame: (Entry, CatalogEntry) -> Bool
  ) {
    let wanted = Self.unique(pageMarks.addresses) { numbers[$0] == nil }
    guard !wanted.isEmpty else { return }
    let left = Self.unique(marks.addresses) { !isFound[$0] }
    for (address, place) in wanted {
      guard let place, let index = left[address] ?? nil, isSame(page[place], catalog[index]) else {
        continue
      }
      take(index + 1, at: place)
    }
  }

  /// Returns a mark of the address, without the parts that may change while the bytes stay: http or
  /// https, userinfo, fragment.
  private static func address(of media: Media) -> Int {
    EntryIdentity.mark(of: WebAddress.likeness(of: media.url))
  }

  /// Whether one id is the other one with a suffix. "id#…" tells apart entries with the same id.
  private static func isMarked(_ one: String, _ other: String) -> Bool {
    one.hasPrefix(other + "#") || other.hasPrefix(one + "#")
  }

  // MARK: By looks

  /// Matches entries with the same title, date and claimed length, if title and date are unique on
  /// both sides.
  private mutating func matchLooks(_ pageMarks: Marks, _ marks: Marks) {
    guard numbers.contains(nil) else { return }
    let wanted = Self.unique(pageMarks.looks)
    let known = Self.unique(marks.looks)
    for (looks, place) in wanted {
      guard let place, numbers[place] == nil, let index = known[looks] ?? nil,
        let length = page[place].media?.credibleLength, length == catalog[index].claimedLength
      else { continue }
      take(index + 1, at: place)
    }
  }

  private static func looks(title: String, published: Int?) -> Int? {
    guard let published, !title.isEmpty else { return nil }
    return EntryIdentity.mark(of: "\(published) \(title)")
  }

  // MARK: Common

  private mutating func take(_ number: Int, at place: Int) {
    guard numbers[place] == nil, !isFound[number - 1] else { return }
    numbers[place] = number
    isFound[number - 1] = true
  }

  /// Returns the place of each value; nil for a value at more than one place.
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
