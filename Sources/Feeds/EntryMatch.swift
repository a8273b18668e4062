/// Which entry of a page is which entry of the catalog.
///
/// The id decides. Publishers change ids, though, so one under an unknown id is an old one if it
/// has the address of one that is looked for, or else its title, date and length, and if no other
/// could be meant on either side.
struct EntryMatch {
  /// For each entry of the page, the number of the one that it is.
  private(set) var numbers: [Int?]

  private let page: [Entry]
  private let catalog: [CatalogEntry]
  private var isFound: [Bool]

  /// - Parameters:
  ///   - page: the entries of a page, those that cannot be played too.
  ///   - catalog: all entries of the catalog, the one with number n at index n - 1.
  ///   - known: numbers by id.
  init(of page: [Entry], in catalog: [CatalogEntry], known: [String: Int]) {
    self.page = page
    self.catalog = catalog
    numbers = Array(repeating: nil, count: page.count)
    isFound = Array(repeating: false, count: catalog.count)

    let pageAddresses = page.map { $0.media.map { Self.address(of: $0) } }
    let addresses = catalog.map { Self.address(of: $0.media) }
    for (place, entry) in page.enumerated() {
      guard let number = known[entry.id], addresses[number - 1] == pageAddresses[place] else {
        continue
      }
      take(number, at: place)
    }
    // Before the bare id: where one was used twice, "id" and "id#…" stand for the entries in turn.
    matchUnique(pageAddresses, addresses) { Self.isMarked($0.id, $1.id) }
    for (place, entry) in page.enumerated() {
      guard let number = known[entry.id] else { continue }
      take(number, at: place)
    }
    matchUnique(pageAddresses, addresses) { _, _ in true }
    matchLooks()
  }

  // MARK: By address

  /// Matches what has the same address, as far as no two of those that are left share it.
  private mutating func matchUnique(
    _ pageAddresses: [String?], _ addresses: [String],
    where isSame: (Entry, CatalogEntry) -> Bool
  ) {
    let left = Self.unique(addresses) { !isFound[$0] }
    let wanted = Self.unique(pageAddresses) { numbers[$0] == nil }
    for (address, place) in wanted {
      guard let place, let index = left[address] ?? nil, isSame(page[place], catalog[index]) else {
        continue
      }
      take(index + 1, at: place)
    }
  }

  /// The address without what changes while the bytes stay: http or https, userinfo, fragment.
  private static func address(of media: Media) -> String {
    guard let address = try? HTTPAddress(media.url) else { return media.url }
    return address.authority + address.target
  }

  /// Whether one is the other with a mark: "id#…" tells apart what a page lists under one id.
  private static func isMarked(_ one: String, _ other: String) -> Bool {
    one.hasPrefix(other + "#") || other.hasPrefix(one + "#")
  }

  // MARK: By looks

  private struct Looks: Hashable {
    let title: String
    let published: Int
  }

  /// Matches what has the same title and date, alone on both sides, and claims the same length.
  private mutating func matchLooks() {
    let wanted = Self.unique(page.map { Self.looks(title: $0.title, published: $0.published) })
    let known = Self.unique(catalog.map { Self.looks(title: $0.title, published: $0.published) })
    for (looks, place) in wanted {
      guard let place, numbers[place] == nil, let index = known[looks] ?? nil,
        let length = page[place].media?.credibleLength, length == catalog[index].claimedLength
      else { continue }
      take(index + 1, at: place)
    }
  }

  private static func looks(title: String, published: Int?) -> Looks? {
    guard let published, !title.isEmpty else { return nil }
    return Looks(title: title, published: published)
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
