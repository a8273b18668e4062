/// Hashes of the entries as they were on the last page. If a hash is the same on the next page, the
/// entry is unchanged.
///
/// A hash is valid only as long as ids and aliases are as that page left them, so each page sets
/// all hashes again. The hashes only save time, so `==` ignores them.
struct SeenEntries: Hashable, Sendable {
  /// The hash of each entry, from number 1 on; 0 for an entry without a hash.
  private var hashes: [Int] = []

  static func == (one: SeenEntries, other: SeenEntries) -> Bool { true }

  func hash(into hasher: inout Hasher) {}

  /// Whether the entry with this number was merged from a page entry with this hash.
  func has(_ hash: Int, of number: Int) -> Bool {
    number <= hashes.count && hashes[number - 1] == hash && hash != 0
  }

  /// The numbers of all entries that have a hash, by their hashes.
  var numbers: [Int: Int32] {
    var numbers: [Int: Int32] = [:]
    numbers.reserveCapacity(hashes.count { $0 != 0 })
    for (place, hash) in hashes.enumerated() where hash != 0 { numbers[hash] = Int32(place + 1) }
    return numbers
  }

  /// Forgets all hashes, and makes room for `count` numbers.
  mutating func reset(count: Int) {
    hashes = Array(repeating: 0, count: count)
  }

  mutating func set(_ hash: Int, of number: Int) {
    hashes[number - 1] = hash
  }
}
