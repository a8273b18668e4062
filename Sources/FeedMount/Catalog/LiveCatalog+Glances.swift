import Catalog
import NIOConcurrencyHelpers
import Storage

/// Shows entries as `stat` and listings need them, with one look under the lock for each answer.
extension LiveCatalog {
  /// An entry, and the facts about its current version that `stat` shows.
  struct Glance: Sendable {
    let entry: ListedEntry
    /// The version, if it is open.
    let open: EntryVersion?
    /// How much of it is cached, if it is not open and was measured before.
    fileprivate let measured: Holding?
    /// The length in bytes that it probably has.
    let likelyLength: Int
    /// The greatest size in bytes that was told while it grew; nil if it was not opened so.
    let toldWhileGrowing: Int?
    /// The value of `isSettled`.
    let isSettled: Bool
    /// The value of `isWatched`.
    let isWatched: Bool
  }

  /// Returns the listed entry whose file has this name.
  func glance(named name: String) -> Glance? {
    state.withLockedValue { state in
      state.catalog.current.listedEntry(named: name).map { state.glance(at: $0) }
    }
  }

  /// Returns the entry, removed or not, whose current version has this inode.
  func glance(inode: UInt64) -> Glance? {
    state.withLockedValue { state in
      state.catalog.current.listedEntry(inode: inode).map { state.glance(at: $0) }
    }
  }

  /// Returns the first `limit` listed entries with a number greater than `number`.
  func glances(after number: Int, limit: Int) -> [Glance] {
    state.withLockedValue { state in
      state.catalog.current.listing(after: number).prefix(limit).map { state.glance(at: $0) }
    }
  }

  /// Returns how much is cached of the entry. May block on the disk, once for each entry.
  func holding(of glance: Glance) -> Holding {
    if let holding = glance.open?.holding ?? glance.measured { return holding }
    guard let entry = entry(number: glance.entry.number) else {
      return Holding(bytes: 0, isDurable: false)
    }
    return holding(of: entry)
  }
}

extension LiveCatalog.State {
  fileprivate func glance(at entry: ListedEntry) -> LiveCatalog.Glance {
    LiveCatalog.Glance(
      entry: entry, open: open[entry.inode]?.version, measured: measured[entry.inode],
      likelyLength: entry.likelyLength ?? typicalLengths.current,
      toldWhileGrowing: sizes.toldWhileGrowing(entry.inode), isSettled: sizes.isFree(entry.inode),
      isWatched: keeping.watched.contains(entry.number))
  }
}
