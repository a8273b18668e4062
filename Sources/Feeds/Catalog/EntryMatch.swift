/// Which entry of a page is which entry of the catalog.
///
/// The id decides. Publishers change ids, though, so one under an unknown id is an old one if it
/// has the address of one that is looked for, or else its title, date and length, and if no other
/// could be meant on either side.
struct EntryMatch {
  /// For each entry of the page, the number of the one that it is.
  private(set) var numbers: [Int?]

  private let page: PackedArray<Entry>
  private let catalog: PackedArray<CatalogEntry>
  private var isFound: [Bool]

  /// Marks that tell entries apart: there may be very many.
  private struct Marks {
    var addresses: [Int?] = []
    var looks: [Int?] = []
  }

  /// - Parameters:
  ///   - page: the entries of a page, those that cannot be played too.
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
    // What the feed says now is stronger than what it said at first.
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
    // Before the bare id: where one was used twice, "id" and "id#…" stand for the entries in turn.
    matchUnique(pageMarks, marks) { Self.isMarked($0.id, $1.id) }
    for case (let place, let number?) in known.enumerated() { take(number, at: place) }
    matchUnique(pageMarks, marks) { _, _ in true }
    matchLooks(pageMarks, marks)
  }

  // MARK: By address

  /// Matches what has the same address, as far as no two of those that are left share it.
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

  /// The address without what changes while the bytes stay: http or https, userinfo, fragment.
  private static func address(of media: Media) -> Int {
    guard let address = try? HTTPAddress(media.url) else {
      return EntryIdentity.mark(of: media.url)
    }
    return EntryIdentity.mark(of: address.authority + address.target)
  }

  /// Whether one is the other with a mark: "id#…" tells apart what a page lists under one id.
  private static func isMarked(_ one: String, _ other: String) -> Bool {
    one.hasPrefix(other + "#") || other.hasPrefix(one + "#")
  }

  // MARK: By looks

  /// Matches what has the same title and date, alone on both sides, and claims the same length.
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

  /// Where each value stands, nil if at more than one place.
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
