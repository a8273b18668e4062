extension Catalog {
  /// Takes what a further page of the feed says, behind those that were merged.
  ///
  /// What is not on it is not missed. New entries get the next numbers in the order of the page.
  ///
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - fileExtension: without the dot; asked once for each new entry.
  package mutating func extend(
    with page: Feed, now: Int, fileExtension: (Media) -> String
  ) -> CatalogChange {
    var change = CatalogChange()
    let numbers = match(page, now: now, fileExtension: fileExtension, change: &change)
    // What stands on a page is not taken back by it.
    let places = Dictionary(
      uniqueKeysWithValues: numbers.compactMap(\.self).map { ($0, 0) })
    if !page.recovered { markDeleted(page.deleted, places: places) }
    order = Self.order(before: order, behind: numbers.compactMap(\.self))
    return change
  }

  /// What is new stands behind what it follows on the page or, where that is not known, at the end.
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
  /// This page and the one that follows, as one window on the feed. What stands on both is listed where
  /// it comes first.
  package func followed(by later: Feed) -> Feed {
    var window = self
    // RFC 6721: an archive goes on to list what a newer document has taken back.
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
