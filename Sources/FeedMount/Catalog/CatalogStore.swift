import Catalog

/// A catalog that changes while a page is merged into it elsewhere.
///
/// A merge takes a second for a long feed, and no lookup may wait for it. So the merge works on a
/// copy. Changes made meanwhile are applied to the copy too when the merge ends.
struct CatalogStore: Sendable {
  typealias Edit = @Sendable (inout Catalog) -> Void

  private enum Merge {
    /// Changes since the merge began.
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

  /// Changes the catalog, and later the result of a merge that is under way.
  ///
  /// - Parameter endingMerge: whether a merge under way must start again. A change that gives or
  ///   takes numbers cannot be applied to its result.
  mutating func edit(endingMerge: Bool = false, _ change: @escaping Edit) {
    change(&current)
    edition += 1
    switch merge {
    case .runs(let edits): merge = endingMerge ? .isOutdated : .runs(edits + [change])
    case .isOutdated, nil: break
    }
  }

  /// Lists the entries before `number` that waited to be saved. Returns the numbers of all listed
  /// entries, or nil if none waited.
  mutating func list(before number: Int) -> Range<Int>? {
    if case .runs(let edits) = merge {
      merge = .runs(edits + [{ _ = $0.saved(before: number) }])
    }
    return current.saved(before: number)
  }

  /// Takes entries out of the listing that the feed has dropped or a rule leaves out, and returns their
  /// numbers. Pinned entries stay. Those in `needed` stay although the feed has dropped them, and those
  /// in `open` although a rule leaves them out.
  mutating func dropGone(keep needed: Set<Int>, open: Set<Int>) -> [Int] {
    let kept = needed.union(current.keptNumbers.filter(current.isPinned))
    let gone = current.dropGone { kept.contains($0) } + current.leaveOut { open.contains($0) }
    guard !gone.isEmpty else { return [] }
    edition += 1
    if merge != nil { merge = .isOutdated }
    return gone
  }

  // MARK: Merging

  /// Begins a merge; returns the catalog to merge into.
  mutating func beginMerge() -> Catalog {
    merge = .runs([])
    return current
  }

  /// Takes the result of the merge, and leaves the catalog before it in its place. Returns false if
  /// the page must be merged once more.
  ///
  /// The caller lets go of the earlier catalog without the lock. There are no two copies of the
  /// result, so the changes since the merge began copy nothing.
  mutating func endMerge(_ merged: inout Catalog) -> Bool {
    defer { merge = nil }
    guard case .runs(let edits) = merge else { return false }
    swap(&current, &merged)
    for edit in edits { edit(&current) }
    edition += 1
    return true
  }
}
