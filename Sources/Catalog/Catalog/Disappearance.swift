import FeedReading

/// Distinguishes entries that a feed has removed from entries that are only too old for its page.
///
/// A feed shows only its newest entries, so an entry can be missing because newer entries came. An
/// entry counts as removed only if it is missing between two entries that are still present.
struct Disappearance {
  /// Numbers of removed entries.
  private(set) var gone: [Int] = []
  /// Numbers of entries that fell off the end of the page.
  private(set) var past: [Int] = []
  /// The reason why missing entries do not count as removed; nil if there is no doubt.
  private(set) var doubt: String?

  /// - Parameters:
  ///   - before: the numbers of the entries that were on the previous page, in its order. If the
  ///     page claims to be complete, they include entries that fell off the end earlier.
  ///   - places: the place of each entry on the page, by number.
  ///   - published: returns the date of the entry with this number, in seconds since 1970.
  init(
    from page: Feed, before: [Int], places: [Int: Int], published: (Int) -> Int?
  ) {
    let missing = before.filter { places[$0] == nil }
    if page.complete && !page.isPartial {
      gone = missing  // RFC 5005 §2
    } else {
      let between =
        page.isPartial ? [] : Self.between(before, places: places, pageStarts: page.pageStarts)
      let window = Self.window(
        of: page.entries.indices.compactMap(page.entries.published(at:)))
      for number in missing {
        let isInside = published(number).map { window.contains($0) } ?? true
        if between.contains(number) && isInside {
          gone.append(number)
        } else {
          past.append(number)
        }
      }
    }
    judge(page, missing: missing.count, of: before.count)
  }

  private mutating func judge(_ page: Feed, missing: Int, of all: Int) {
    if page.recovered {
      past = []  // the damage can have cut off the end of the page
    }
    guard !gone.isEmpty else { return }
    if page.recovered {
      doubt = "the document of the feed is damaged, so \(gone.count) entries that it lacks stay"
    } else if missing * 2 > all {
      doubt = "the feed suddenly lacks \(missing) of \(all) entries, so these stay for now"
    }
    if doubt != nil {
      gone = []
    }
  }

  /// Returns the missing numbers whose former neighbors are on the page, still in the same order.
  ///
  /// If there are several pages, both neighbors must be on the same page. Pages are read one after
  /// the other, so an entry that moves between two pages meanwhile can be missing on both.
  private static func between(
    _ before: [Int], places: [Int: Int], pageStarts: [Int]
  ) -> Set<Int> {
    var found: Set<Int> = []
    var missing: [Int] = []
    var placeBefore: Int?
    for number in before {
      guard let place = places[number] else {
        missing.append(number)
        continue
      }
      if let placeBefore, placeBefore < place,
        !pageStarts.contains(where: { placeBefore < $0 && $0 <= place })
      {
        found.formUnion(missing)
      }
      missing = []
      placeBefore = place
    }
    return found
  }

  /// Returns the range of dates on the page. A missing entry with a date outside this range does
  /// not count as removed, because it is only too old for the page.
  private static func window(of dates: [Int]) -> ClosedRange<Int> {
    guard let first = dates.min(), let last = dates.max() else { return Int.min...Int.max }
    return first...last
  }
}
