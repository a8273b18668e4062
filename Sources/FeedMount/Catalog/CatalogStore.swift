import Catalog

/// A catalog that can change while a page is merged into a copy of it.
///
/// A merge takes a second for a long feed, and no lookup is allowed to wait for it. So the merge
/// works on a copy. Changes made meanwhile are applied to the copy too when the merge ends.
struct CatalogStore: Sendable {
  typealias Edit = @Sendable (inout Catalog) -> Void

  private enum Merge {
    /// The merge is under way. The array has the changes that were made since it began.
    case runs([Edit])
    /// The catalog has changed so much that the page must be merged once more.
    case isOutdated
  }

  private(set) var current: Catalog
  /// A number that grows with each change that must be saved.
  private(set) var edition = 0
  private var merge: Merge?

  init(_ catalog: Catalog) {
    current = catalog
  }

  /// Changes the catalog. If a merge is under way, its result gets the same change when it ends.
  ///
  /// - Parameter endingMerge: whether a merge under way must start again. A change that gives an
  ///   entry a new inode needs this, because such a change cannot be applied to the result of the
  ///   merge.
  mutating func edit(endingMerge: Bool = false, _ change: @escaping Edit) {
    change(&current)
    edition += 1
    switch merge {
    case .runs(let edits): merge = endingMerge ? .isOutdated : .runs(edits + [change])
    case .isOutdated, nil: break
    }
  }

  /// Adds to the listing the entries with numbers before `number` that waited for a save. Returns
  /// their numbers, or nil if none waited.
  mutating func list(before number: Int) -> Range<Int>? {
    if case .runs(let edits) = merge {
      merge = .runs(edits + [{ _ = $0.saved(before: number) }])
    }
    return current.saved(before: number)
  }

  /// Removes from the listing the entries that the feed has dropped or that a rule leaves out.
  /// Returns their numbers. Pinned entries stay. An entry in `needed` stays even if the feed has
  /// dropped it, and an entry in `open` stays even if a rule leaves it out.
  mutating func dropGone(keep needed: Set<Int>, open: Set<Int>) -> [Int] {
    let kept = needed.union(current.keptNumbers.filter(current.isPinned))
    let gone = current.dropGone { kept.contains($0) } + current.leaveOut { open.contains($0) }
    guard !gone.isEmpty else { return [] }
    edition += 1
    if merge != nil { merge = .isOutdated }
    return gone
  }

  // MARK: Merging

  /// Begins a merge. Returns the copy of the catalog to merge into.
  mutating func beginMerge() -> Catalog {
    merge = .runs([])
    return current
  }

  /// Ends the merge by a swap: the result in `merged` becomes the current catalog, and `merged`
  /// gets the earlier catalog. Returns false, and swaps nothing, if the page must be merged once
  /// more.
  ///
  /// The caller frees the earlier catalog after it has released the lock. The result has only one
  /// owner. So no copy is made when the changes since the beginning of the merge are applied to the
  /// result.
  mutating func endMerge(_ merged: inout Catalog) -> Bool {
    defer { merge = nil }
    guard case .runs(let edits) = merge else { return false }
    swap(&current, &merged)
    for edit in edits { edit(&current) }
    edition += 1
    return true
  }
}
