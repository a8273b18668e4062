/// What it means that entries are not on a page.
///
/// A feed is a window on its newest entries, so one may be missing because the window moved on.
/// Only one that is gone from between entries that are still there was taken out.
struct Disappearance {
  /// Taken out.
  private(set) var gone: [Int] = []
  /// Fell off the end.
  private(set) var past: [Int] = []
  /// Why those that seem to be gone are not believed to be.
  private(set) var doubt: String?

  /// - Parameters:
  ///   - before: the numbers that were on the page before, in its order then; if the page claims to
  ///     be complete, all that are listed.
  ///   - places: where on the page the numbers stand that are on it.
  ///   - published: the date of a number, in seconds since 1970.
  init(
    from page: Feed, before: [Int], places: [Int: Int], published: (Int) -> Int?
  ) {
    let missing = before.filter { places[$0] == nil }
    if page.complete && !page.isPartial {
      gone = missing  // RFC 5005 §2
    } else {
      let between =
        page.isPartial ? [] : Self.between(before, places: places, pageStarts: page.pageStarts)
      let window = Self.window(of: page.entries.compactMap(\.published))
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
      past = []  // the end of the page may be what is missing
    }
    guard !gone.isEmpty else { return }
    if page.recovered {
      doubt = "the feed is damaged, so \(gone.count) missing entries stay"
    } else if missing * 2 > all {
      doubt = "\(missing) of \(all) entries are missing at once, so those stay that seem removed"
    }
    if doubt != nil {
      gone = []
    }
  }

  /// The missing numbers whose neighbours of before are on the page, still in the same order.
  ///
  /// Both on the same one of several pages: these are read one after the other, and what moves from one
  /// to the other meanwhile is on neither.
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

  /// The dates on the page; a missing entry of another date says that the window has moved on.
  private static func window(of dates: [Int]) -> ClosedRange<Int> {
    guard let first = dates.min(), let last = dates.max() else { return Int.min...Int.max }
    return first...last
  }
}
