import Blocks
import Feeds
import NIOConcurrencyHelpers
import Storage
import Streaming

/// What commands do with what is kept. May block on the disk.
extension LiveCatalog {
  private var cache: CacheDirectory { maker.cache }

  var failures: Failures { maker.failures }

  /// The user wants to have these entries: what failed of them before does not count.
  func tryAgain(_ numbers: [Int]) {
    for entry in numbers.compactMap({ entry(number: $0) }) {
      failures.forget(entry.number, at: entry.sources.map(\.url))
    }
  }

  /// The keys of all entries that are pinned.
  private var pinnedKeys: [String] {
    catalog.pinned.map(\.key)
  }

  /// The pinned entries of which something is not kept yet.
  var unfinishedPins: [CatalogEntry] {
    catalog.pinned.filter { !$0.isRemoved && stored(of: $0) != $0.known?.length }
  }

  /// Bytes that the disk has of the version that the name of `entry` means: what is in memory will not
  /// stay.
  func stored(of entry: CatalogEntry) -> Int {
    let open = version(of: entry.inode)
    return open.map { $0.file?.heldBytes ?? 0 } ?? holding(of: entry).bytes
  }

  /// Whether anything more could be kept.
  var hasRoom: Bool { cache.room(for: 1) == .enough }

  /// The cache knows what it must not give up from here on; false: only as long as it is open.
  @discardableResult
  func guardPins() -> Bool {
    cache.pin(pinnedKeys)
  }

  /// All of the entries with these numbers is to be kept, or need not be; what is pinned once more is tried
  /// once more. False: the disk of the cache does not take it.
  func pin(_ isPinned: Bool, _ numbers: [Int]) -> Bool {
    let (inodes, isNew) = state.withLockedValue { state in
      let new = numbers.filter { state.catalog.entry(number: $0)?.isPinned == !isPinned }
      for number in new { state.catalog.pin(isPinned, number) }
      if !new.isEmpty { state.revision += 1 }
      state.changes.note(new, at: ChangeLog.now())
      return (numbers.compactMap { state.catalog.entry(number: $0)?.inode }, !new.isEmpty)
    }
    let isTaken = guardPins()
    if isNew { changed(.catalog) }
    for inode in inodes { changed(.pins(inode: inode)) }
    if isNew, !isPinned { _ = dropUnneeded() }
    return isTaken
  }

  /// Takes what is kept of an entry out of the cache; returns how many bytes of the disk it had.
  ///
  /// What was being read loses its name and nothing else, so that no read that is under way can go wrong,
  /// nor one that the kernel answers by itself; and another file, which is empty, takes its place. The disk
  /// has its space back when the last who looks at the old one has gone. What the origin serves no more
  /// could not be fetched again: who reads that goes on with the old one.
  func clear(_ number: Int) -> Int {
    guard let entry = entry(number: number) else { return 0 }
    let (stored, open) = removing { cache.versions(of: entry.key) }
    for version in open where version.number == number && !version.filler.snapshot.isSuperseded {
      version.filler.beginAnew()
      attributesChanged(of: version.inode)
    }
    forgot(entry.inode)
    _ = dropUnneeded()
    return stored
  }

  /// Takes the version called `name` out of the cache, which nobody has open.
  func remove(_ name: String) -> Int {
    opening.holdingAll {
      let found = cache.versions().filter { $0.name == name && cache.removeUnlessOpen($0.name) }
      return found.reduce(0) { $0 + $1.stored }
    }
  }

  /// Compares what is kept as `name` with its checksums, from `start` on and about `bytes` of it. What is
  /// wrong counts as absent, and is fetched again by who reads it.
  func check(_ name: String, from start: BlockIndex, bytes: Int) -> CheckedBlocks? {
    guard let checked = cache.check(name, from: start, bytes: bytes) else { return nil }
    guard !checked.wrong.isEmpty else { return checked }
    for version in openVersions where self.name(of: version) == name {
      version.filler.lost(checked.wrong)
      contentsChanged(of: version.inode)
    }
    let entry = catalog.entries.first { maker.name(of: $0) == name }
    guard let entry else { return checked }
    forgot(entry.inode)
    contentsChanged(of: entry.inode)
    if entry.isPinned { changed(.pins(inode: entry.inode)) }
    return checked
  }

  /// What the files of the present version of `entry` are called; nil: nothing is known of it.
  func name(of entry: CatalogEntry) -> String? {
    maker.name(of: entry)
  }

  private func name(of version: EntryVersion) -> String? {
    guard let entry = catalog.entry(number: version.number),
      let representation = version.filler.representation
    else { return nil }
    return maker.name(of: entry, representation)
  }

  /// Takes what `find` names out of the cache; while nobody can open an entry.
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
