import Blocks
import Catalog
import Filling
import Glibc
import Locks
import Storage
import StreamFiles
import SystemPackage
import World

/// Opens versions, counts their opens, and ends versions that no reader uses any more.
extension LiveCatalog {
  /// Counts one more open of the version with this inode, if the version is open already; `closed`
  /// must follow. Otherwise returns nil. The caller must then call `open`, which can wait for the
  /// disk.
  func openAgain(_ inode: UInt64) -> EntryVersion? {
    state.withLock { state in
      guard let entry = state.catalog.current.entry(inode: inode), !entry.isRemoved else {
        return nil
      }
      state.open[inode]?.count += 1
      return state.open[inode]?.version
    }
  }

  /// Opens the version with this inode, or counts one more open of it; `closed` must follow. Can
  /// block on the disk.
  ///
  /// Throws ESTALE if a newer version has replaced this version. The kernel then looks the name up
  /// again.
  func open(_ inode: UInt64) throws(Errno) -> EntryVersion {
    try opening.holding(inode) { () throws(Errno) in
      if let version = openAgain(inode) { return version }
      guard let entry = entry(inode: inode), !entry.isRemoved else { throw .staleNFSFileHandle }
      let version = maker.make(entry)
      let left = version.filler.representation
      let isNews = state.withLock { state in
        state.open[inode] = Open(version: version, count: 1)
        state.changes.note(version.number, at: wall.microseconds())
        // If the cache has this version, but the catalog does not know it, the last process was
        // killed before it saved the catalog. The version then needs a freshness check.
        guard let left, let entry = state.catalog.current.entry(inode: inode), entry.known == nil
        else {
          return false
        }
        state.know(KnownBody(left, type: nil, freshFor: nil, at: 0), of: entry)
        return true
      }
      if isNews { changed(.catalogChanged) }
      // The network mode might have changed since `make`.
      version.filler.turn(maker.mode(), isSparing: maker.isSparing())
      return version
    }
  }

  func closed(_ version: EntryVersion) {
    let isIdle = state.withLock { state in
      state.open[version.inode]?.count -= 1
      return state.open[version.inode]?.count == 0
    }
    if isIdle { changed(.closed(version)) }
  }

  /// Ends a version that was closed, unless a reader has opened it again since then.
  func forget(_ version: EntryVersion) {
    let isForgotten = state.withLock { state in
      // This function can be called twice for a version that was reopened. At the second call,
      // another version can have the inode.
      guard let open = state.open[version.inode], open.version === version, open.count == 0 else {
        return false
      }
      state.open[version.inode] = nil
      state.changes.note(version.number, at: wall.microseconds())
      // Only blocks in the file count. Blocks in memory are lost with the version.
      let file = version.file
      let extents = file.map { $0.cachedBlocks.extents(in: $0.layout, atMost: Holding.maxExtents) }
      let holding = Holding(
        bytes: file?.cachedByteCount ?? 0, isDurable: file?.isDurable ?? false,
        extents: extents ?? []
      )
      // The files of a version without a validator are named after its address. The address might
      // have changed, so the measured bytes of such a version are not remembered.
      let isNamed = version.filler.representation?.validator != Validator.none
      state.measured[version.inode] = isNamed ? holding : nil
      return true
    }
    guard isForgotten else { return }
    version.filler.end()
    version.origin.stream?.endIdleWork()
    if let entry = entry(inode: version.inode), isWanted(entry),
      version.filler.representation?.validator == Validator.none,
      maker.cache.holding(of: entry).bytes < version.file?.cachedByteCount ?? 0
    {
      // The cached bytes belong to an old address. The bytes of the new address must be fetched.
      changed(.pinsChanged(version.inode))
    }
    _ = dropUnneeded()
  }

  /// Tells the open versions the network mode, and whether their read-ahead must be short.
  func turn() {
    for version in openVersions {
      version.filler.turn(maker.mode(), isSparing: maker.isSparing())
    }
  }

  /// Notes that the cache file of `version` is durable. From the next open on, the kernel is
  /// allowed to read the file without the daemon.
  func becameDurable(_ version: EntryVersion) {
    state.withLock { $0.measured[version.inode]?.isDurable = true }
    reconsider(version.inode)
  }

  /// Notes that blocks of the entry with this key were evicted.
  func evicted(_ key: String) {
    if let inode = catalog.inode(ofKey: key) { forgot(inode) }
  }

  /// Notes that less is cached of the version with `inode` than before.
  func forgot(_ inode: UInt64) {
    state.withLock { $0.measured[inode] = nil }
    note(inode)
    reconsider(inode)
    attributesChanged(of: inode)
  }

  /// Asks the kernel to forget the attributes of the version with `inode`, if `isSettled` is true
  /// for it.
  func attributesChanged(of inode: UInt64) {
    if isSettled(inode) { changed(.attributesChanged(inode)) }
  }

  /// Asks the kernel to forget the bytes of the version with `inode`, if `isSettled` is true for
  /// it.
  func contentsChanged(of inode: UInt64) {
    if isSettled(inode) { changed(.contentsChanged(inode)) }
  }

  /// Asks the kernel to look up the name of the version with `inode` again.
  func reconsider(_ inode: UInt64) {
    if let entry = entry(inode: inode), !entry.isRemoved { changed(.nameChanged(entry.name)) }
  }

  /// Reports that the daemon answers the reads of `version`. If the version is complete, it can be
  /// prepared so that the kernel answers the reads of the next open.
  func served(_ version: EntryVersion) {
    changed(.served(version))
  }
}
