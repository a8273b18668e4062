package import FeedReading

extension Catalog {
  /// Merges a further page of the feed, behind the pages that were merged before.
  ///
  /// Entries that are not on this page are not removed. New entries get the next numbers in the
  /// order of the page.
  ///
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - fileExtension: returns the file extension for media, without the dot. It is called at most
  ///     once for each new entry.
  package mutating func extend(
    with page: Feed, now: Int, fileExtension: (Media) -> String
  ) -> CatalogChange {
    var change = CatalogChange()
    let numbers = match(page, now: now, fileExtension: fileExtension, change: &change)
    // An entry that the page lists stays, even if the page has a tombstone for it.
    let places = Dictionary(
      uniqueKeysWithValues: numbers.compactMap(\.self).map { ($0, 0) })
    markDeleted(by: page, places: places)
    order = Self.order(before: order, behind: numbers.compactMap(\.self))
    trimNotes()
    sift(at: now, into: &change)
    return change
  }

  /// Returns `before` with the new entries of `page`. A new entry comes behind the known entry that
  /// precedes it on the page. If no known entry precedes it, it comes to the end.
  private static func order(before: [Int], behind page: [Int]) -> [Int] {
    let known = Set(before)
    var behind: [Int: [Int]] = [:]
    var last: [Int] = []
    var anchor: Int?
    for number in page {
      if known.contains(number) {
        anchor = number
      } else if let anchor {
        behind[anchor, default: []].append(number)
      } else {
        last.append(number)
      }
    }
    return before.flatMap { [$0] + (behind[$0] ?? []) } + last
  }
}

extension Feed {
  /// Returns this page and the following page `later` as if they were one page. An entry on both
  /// pages is taken from this page.
  package func followed(by later: Feed) -> Feed {
    var window = self
    // Deleted entries are left out: an archive still lists entries that a newer document has
    // deleted (RFC 6721).
    let ids = Set(entries.map(\.id) + deleted)
    window.pageStarts.append(entries.count)
    for entry in later.entries where !ids.contains(entry.id) { window.entries.append(entry) }
    window.next = later.next
    window.deleted += later.deleted
    window.recovered = recovered || later.recovered
    window.complete = complete && later.complete
    window.diagnostics += later.diagnostics
    return window
  }
}
