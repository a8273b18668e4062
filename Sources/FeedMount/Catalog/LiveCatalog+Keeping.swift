import Blocks
import Catalog
import FeedReading
import Filling
import Locks
import Storage
import World

/// Pins, keeps, clears and checks cached bytes. These functions can block on the disk.
extension LiveCatalog {
  private var cache: CacheDirectory { maker.cache }

  var failures: Failures { maker.origins.failures }

  /// Forgets earlier failures of these entries, because the user asks for them again.
  func tryAgain(_ numbers: [Int]) {
    for entry in numbers.compactMap({ entry(number: $0) }) {
      failures.forget(entry.number, at: entry.sources.map(\.url))
    }
  }

  /// The keys of all entries that are never evicted, because they are pinned or kept.
  private var pinnedKeys: [String] {
    let (catalog, kept) = state.withLock { ($0.catalog.current, $0.keeping.kept) }
    return catalog.lasting(besidesPins: kept.sorted()).map(\.key)
  }

  /// The entries with bytes missing on the disk, without removed entries: first the pinned entries,
  /// then the entries that `keep` fetches, the newest first.
  var unfinishedPins: [CatalogEntry] {
    let (catalog, fetches) = state.withLock { ($0.catalog.current, $0.keeping.fetches) }
    return catalog.lasting(besidesPins: fetches).filter {
      !$0.isRemoved && bytesOnDisk(of: $0) != $0.known?.length
    }
  }

  /// Whether all of `entry` is to stay in the cache, because it is pinned or kept.
  func isWanted(_ entry: CatalogEntry) -> Bool {
    entry.isPinned || isKept(entry.number)
  }

  /// Whether the user's `keep` wants the entry in the cache.
  func isKept(_ number: Int) -> Bool {
    state.withLock { $0.keeping.kept.contains(number) }
  }

  /// Whether the daemon has to see the reads of the entry, because `keep` depends on whether it is
  /// played.
  func isWatched(_ number: Int) -> Bool {
    state.withLock { $0.keeping.watched.contains(number) }
  }

  /// Replaces the plan of the user's `keep`, and reports the entries that are affected.
  func keep(_ plan: KeepPlan) {
    let (before, catalog) = state.withLock { state in
      let before = state.keeping
      state.keeping = plan
      let changed = before.kept.symmetricDifference(plan.kept)
      if !changed.isEmpty {
        state.revision += 1
        state.changes.note(changed.sorted(), at: wall.microseconds())
      }
      return (before, state.catalog.current)
    }
    guard before != plan else { return }
    if before.kept != plan.kept { guardPins() }
    let fetches = Set(before.fetches).symmetricDifference(plan.fetches)
    for inode in fetches.sorted().compactMap({ catalog.entry(number: $0)?.inode }) {
      changed(.pinsChanged(inode))
    }
    // At its next lookup the kernel learns whether it is allowed to read the file without the
    // daemon.
    for number in before.watched.symmetricDifference(plan.watched).sorted() {
      if let entry = catalog.entry(number: number) { reconsider(entry.inode) }
    }
  }

  /// Deletes the cached bytes of an entry. Returns false, and deletes nothing, if the entry is open
  /// or pinned.
  func deleteUnlessOpen(_ number: Int) -> Bool {
    guard let entry = entry(number: number), !entry.isPinned else { return false }
    let isDeleted = opening.holdingAll {
      guard !openVersions.contains(where: { $0.number == number }) else { return false }
      for version in cache.versions(of: entry.key) { cache.remove(version.name) }
      return true
    }
    guard isDeleted else { return false }
    forgot(entry.inode)
    cache.recount()
    _ = dropUnneeded()
    return true
  }

  /// Returns the number of bytes of the current version of `entry` on disk. Bytes in memory do not
  /// count, because they are lost with the open version.
  func bytesOnDisk(of entry: CatalogEntry) -> Int {
    let open = version(of: entry.inode)
    return open.map { $0.file?.cachedByteCount ?? 0 } ?? holding(of: entry).bytes
  }

  /// True if the cache has room for more bytes.
  var hasRoom: Bool { cache.room(for: 1) == .enough }

  /// Tells the cache which entries it must not evict. Returns false if the cache cannot save the
  /// list of these entries. It then obeys the list only until it is closed.
  @discardableResult
  func guardPins() -> Bool {
    cache.pin(pinnedKeys)
  }

  /// Pins or unpins the entries with these numbers. Pinning a pinned entry again retries its fetch.
  /// Returns false if the cache cannot save the list of pins.
  func pin(_ isPinned: Bool, _ numbers: [Int]) -> Bool {
    let (inodes, isNew) = state.withLock { state in
      let new = numbers.filter { state.catalog.current.entry(number: $0)?.isPinned == !isPinned }
      if !new.isEmpty {
        state.catalog.edit { catalog in for number in new { catalog.pin(isPinned, number) } }
        state.revision += 1
      }
      state.changes.note(new, at: wall.microseconds())
      return (numbers.compactMap { state.catalog.current.entry(number: $0)?.inode }, !new.isEmpty)
    }
    let isTaken = guardPins()
    if isNew { changed(.catalogChanged) }
    for inode in inodes { changed(.pinsChanged(inode)) }
    if isNew, !isPinned { _ = dropUnneeded() }
    return isTaken
  }

  /// Clears the cached bytes of an entry. Returns the number of cleared bytes that were on the
  /// disk.
  ///
  /// A file that is open only loses its name, and a new, empty file gets the name. So no read under
  /// way can go wrong, even if the kernel does it without the daemon. The disk frees the space of
  /// the old file when its last reader has closed it. Readers of a stale version go on with the old
  /// file, because its bytes could not be fetched again.
  func clear(_ number: Int) -> Int {
    guard let entry = entry(number: number) else { return 0 }
    let (stored, open) = removing { cache.versions(of: entry.key) }
    for version in open where version.number == number && !version.filler.isStale {
      version.filler.resetStore()
      // `forgot` below tells the kernel about the inode of the current version only.
      if version.inode != entry.inode { attributesChanged(of: version.inode) }
    }
    forgot(entry.inode)
    _ = dropUnneeded()
    return stored
  }

  /// Removes the version called `name` from the cache, unless it is open. Returns the bytes that
  /// its files took up on the disk; 0 if nothing was removed.
  func remove(_ name: String) -> Int {
    opening.holdingAll {
      let found = cache.versions().filter { $0.name == name && cache.removeUnlessOpen($0.name) }
      return found.reduce(0) { $0 + $1.stored }
    }
  }

  /// Compares about `bytes` bytes of the version called `name` with their checksums, from `start`
  /// on. Wrong blocks then count as absent, and are fetched again when they are read. Returns nil
  /// if the cache has no such version.
  func check(_ name: String, from start: BlockIndex, bytes: Int) -> CheckedBlocks? {
    guard let checked = cache.check(name, from: start, bytes: bytes) else { return nil }
    guard !checked.wrong.isEmpty else { return checked }
    for version in openVersions where self.name(of: version) == name {
      version.filler.lost(checked.wrong)
      contentsChanged(of: version.inode)
    }
    let entry = catalog.entries.first { cache.name(of: $0) == name }
    guard let entry else { return checked }
    forgot(entry.inode)
    contentsChanged(of: entry.inode)
    if isWanted(entry) { changed(.pinsChanged(entry.inode)) }
    return checked
  }

  /// Returns the name that the current version of `entry` has in the cache; nil if no version is
  /// known.
  func name(of entry: CatalogEntry) -> String? {
    cache.name(of: entry)
  }

  private func name(of version: EntryVersion) -> String? {
    guard let entry = catalog.entry(number: version.number),
      let representation = version.filler.representation
    else { return nil }
    return cache.name(of: entry, representation)
  }

  /// Removes from the cache the versions that `find` returns. No entry can be opened until this
  /// returns. Returns the bytes that the files of these versions took up on the disk, and the
  /// versions that are open now.
  private func removing(
    _ find: () -> [CachedVersion]
  ) -> (stored: Int, open: [EntryVersion]) {
    opening.holdingAll {
      let found = find()
      for version in found { cache.remove(version.name) }
      return (found.reduce(0) { $0 + $1.stored }, openVersions)
    }
  }
}
