/// Knows which entries are saved in a snapshot on the disk.
///
/// A name that was visible once belongs to its entry for ever, even if the daemon is killed. So an
/// entry is listed only when a saved snapshot contains its number. The code that saves the catalog
/// calls `saved(before:)` after each save. All entries count as saved until `wait(from:)` is
/// called.
extension Catalog {
  /// The number of saved entries. Only entries whose number is not greater than this are listed.
  var shownCount: Int { firstWaiting.map { $0 - 1 } ?? entries.count }

  /// The number of entries that are not listed, because no saved snapshot contains them yet.
  package var waitingCount: Int { entries.count - shownCount }

  /// The number of listed entries.
  package var listedCount: Int {
    firstWaiting == nil && leftOut.isEmpty ? order.count : order.count(where: isListed)
  }

  /// Whether the entry is visible in the folder.
  package func isListed(_ number: Int) -> Bool {
    number >= 1 && number <= shownCount && !entries.isRemoved(at: number - 1)
      && !leftOut.hides(number)
  }

  /// Hides the entries from `number` on until they are on the disk. Does nothing if the catalog has
  /// no such entries.
  package mutating func wait(from number: Int) {
    guard number < nextNumber else { return }
    firstWaiting = min(firstWaiting ?? number, number)
  }

  /// Records that all entries before `number` are on the disk.
  ///
  /// - Returns: the numbers of the entries that are no longer hidden by this; nil if there are
  ///   none.
  package mutating func saved(before number: Int) -> Range<Int>? {
    guard let first = firstWaiting, number > first else { return nil }
    firstWaiting = number < nextNumber ? number : nil
    return first..<number
  }
}
