import Catalog
import FeedReading

/// A catalog that changes while a page is merged into it elsewhere.
///
/// A merge takes a second for a long feed, and no lookup may wait for it: so it works on a copy,
/// and the changes made meanwhile are made to its result once more.
struct CatalogStore: Sendable {
  typealias Edit = @Sendable (inout Catalog) -> Void

  private enum Merge {
    /// Changes since the merge began.
    case runs([Edit])
    /// The catalog has changed in a way that the result must know of.
    case isOutdated
  }

  private(set) var current: Catalog
  /// Grows with each change that a snapshot should have.
  private(set) var edition = 0
  private var merge: Merge?

  init(_ catalog: Catalog) {
    current = catalog
  }

  /// Changes the catalog, and later the result of a merge that is under way.
  ///
  /// - Parameter endingMerge: whether the result cannot be changed likewise, because the change
  ///   gives or takes numbers; the page is merged once more.
  mutating func edit(endingMerge: Bool = false, _ change: @escaping Edit) {
    change(&current)
    edition += 1
    switch merge {
    case .runs(let edits): merge = endingMerge ? .isOutdated : .runs(edits + [change])
    case .isOutdated, nil: break
    }
  }

  /// Lists the entries before `number` that waited to be saved; returns the numbers of all entries
  /// that are listed now, or nil if none waited.
  mutating func list(before number: Int) -> Range<Int>? {
    if case .runs(let edits) = merge {
      merge = .runs(edits + [{ _ = $0.saved(before: number) }])
    }
    return current.saved(before: number)
  }

  /// Takes entries that the feed has dropped out of the listing, unless they are pinned or in
  /// `needed`; returns them.
  mutating func dropGone(keep needed: Set<Int>) -> [CatalogEntry] {
    let kept = needed.union(current.kept.filter(\.isPinned).map(\.number))
    var after = current
    let gone = after.dropGone { kept.contains($0) }
    guard !gone.isEmpty else { return [] }
    current = after
    edition += 1
    if merge != nil { merge = .isOutdated }
    return gone.compactMap { after.entry(number: $0) }
  }

  // MARK: Merging

  /// Begins a merge; returns the catalog to merge into.
  mutating func beginMerge() -> Catalog {
    merge = .runs([])
    return current
  }

  /// Takes the result of the merge; false: the catalog has changed so that the page must be merged
  /// once more.
  mutating func endMerge(_ merged: Catalog) -> Bool {
    defer { merge = nil }
    guard case .runs(let edits) = merge else { return false }
    current = merged
    for edit in edits { edit(&current) }
    edition += 1
    return true
  }
}
