/// Which entries are on the disk.
///
/// A name that somebody has seen is its entry's for ever, after a kill too: what has a number that no
/// snapshot holds yet is known and not listed. Whoever saves the catalog says so here; one that nobody
/// saves lists all it knows.
extension Catalog {
  /// How many entries, from the first on, may be listed.
  var shownCount: Int { firstWaiting.map { $0 - 1 } ?? entries.count }

  /// How many entries wait for being on the disk.
  package var waitingCount: Int { entries.count - shownCount }

  /// How many entries are listed.
  package var listedCount: Int {
    firstWaiting == nil ? order.count : order.count(where: isListed)
  }

  /// Whether somebody may see the entry.
  package func isListed(_ number: Int) -> Bool {
    number >= 1 && number <= shownCount && !entries.isRemoved(at: number - 1)
  }

  /// The first `limit` listed entries with a number greater than `number`.
  package func listed(after number: Int, limit: Int) -> [CatalogEntry] {
    guard number < shownCount else { return [] }
    let places = (max(0, number)..<shownCount).lazy.filter { !entries.isRemoved(at: $0) }
    return places.prefix(limit).map { entries[$0] }
  }

  /// Entries from `number` on, if there are any, are listed when they are on the disk.
  package mutating func wait(from number: Int) {
    guard number < nextNumber else { return }
    firstWaiting = min(firstWaiting ?? number, number)
  }

  /// All entries before `number` are on the disk.
  ///
  /// - Returns: the numbers that are listed now and were not before.
  package mutating func saved(before number: Int) -> Range<Int>? {
    guard let first = firstWaiting, number > first else { return nil }
    firstWaiting = number < nextNumber ? number : nil
    return first..<number
  }
}
