import Catalog
import Locks
import Storage

/// Gathers the facts about entries that `stat` and listings need. Each lookup takes the lock only
/// once.
extension LiveCatalog {
  /// An entry, and the facts about its current version that `stat` shows.
  struct Glance: Sendable {
    let entry: ListedEntry
    /// The version, if it is open.
    let open: EntryVersion?
    /// The cached bytes of the version at their last measurement; nil if they were never measured.
    fileprivate let measured: Holding?
    /// The length in bytes that the version probably has.
    let likelyLength: Int
    /// The greatest size in bytes that the kernel was told while the file was growing; nil if no
    /// program opened the file at that time.
    let toldWhileGrowing: Int?
    /// The value of `LiveCatalog.isSettled` for the inode.
    let isSettled: Bool
    /// The value of `LiveCatalog.isWatched` for the entry.
    let isWatched: Bool
  }

  /// Returns the listed entry whose file has this name.
  func glance(named name: String) -> Glance? {
    state.withLock { state in
      state.catalog.current.listedEntry(named: name).map { state.glance(at: $0) }
    }
  }

  /// Returns the entry, removed or not, whose current version has this inode.
  func glance(inode: UInt64) -> Glance? {
    state.withLock { state in
      state.catalog.current.listedEntry(inode: inode).map { state.glance(at: $0) }
    }
  }

  /// Returns the first `limit` listed entries with a number greater than `number`.
  func glances(after number: Int, limit: Int) -> [Glance] {
    state.withLock { state in
      state.catalog.current.listing(after: number).prefix(limit).map { state.glance(at: $0) }
    }
  }

  /// Returns how much is cached of the entry. The first call for an entry can block on the disk.
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
