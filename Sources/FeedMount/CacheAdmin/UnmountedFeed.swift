import Blocks
import Catalog
import FeedReading
import Locks
import Storage
import SystemPackage
import World

/// A feed that is not mounted: its catalog and its cache on the disk, locked. No entry of it is
/// open.
///
/// Safe from any thread. Takes no other lock while it holds its own, and does not use the disk then.
final class UnmountedFeed: CachedFeed {
  private struct State {
    var catalog: CatalogStore
    /// The `CatalogStore.edition` that is on the disk.
    var saved = 0
    var memory: KeepPlan.Memory
    /// The plan that follows from the rule of the last mount.
    var plan: KeepPlan
  }

  let cache: CacheDirectory
  let directory: FilePath
  let wall: WallClock
  private let key: FeedKey
  private let snapshot: SnapshotFile
  private let keepFile: SavedValue<KeepPlan.Memory>
  private let nameFile: SavedValue<String>
  private let state: Locked<State>

  /// Protects pinned and kept entries from eviction; blocks on the disk.
  ///
  /// - Parameter directory: the directory of the feed's catalog and other state.
  init(
    _ key: FeedKey, _ locked: LockedFeed, stateIn directory: FilePath, on disk: Disk,
    wall: WallClock
  ) {
    self.key = key
    self.wall = wall
    keepFile = Keeper.file(in: directory, on: disk)
    nameFile = SavedValue(in: directory, name: "folder", as: .text, on: disk)
    self.directory = directory
    let catalog = locked.catalog ?? Catalog(feed: key)
    cache = locked.cache
    snapshot = locked.snapshot
    let memory = keepFile.read() ?? KeepPlan.Memory()
    // The rule of the last mount still counts: kept entries are not evicted, and a cleared entry is
    // not fetched again.
    let plan = KeepPlan(memory.rule, for: catalog, memory)
    state = Locked(State(catalog: CatalogStore(catalog), memory: memory, plan: plan))
    guardPins()
  }

  var catalog: Catalog { state.withLock { $0.catalog.current } }

  /// Returns the name that the feed's folder would get if the names in `taken` are in use.
  func folderName(besides taken: Set<String>) -> String {
    let title = catalog.title
    return FolderName.name(
      nameFile.read() ?? (title.isEmpty ? key.displayHost : title), besides: taken)
  }

  func cachedBytes(of entry: CatalogEntry) -> Int { cache.holding(of: entry).bytes }

  func name(of entry: CatalogEntry) -> String? { cache.name(of: entry) }

  func keeps(_ number: Int) -> Bool { state.withLock { $0.plan.kept.contains(number) } }

  func check(_ name: String, from start: BlockIndex, bytes: Int) -> CheckedBlocks? {
    cache.check(name, from: start, bytes: bytes)
  }

  func pin(_ isPinned: Bool, _ numbers: [Int]) -> Bool {
    state.withLock { state in
      let catalog = state.catalog.current
      let new = numbers.filter { catalog.entry(number: $0)?.isPinned == !isPinned }
      guard !new.isEmpty else { return }
      state.catalog.edit { catalog in for number in new { catalog.pin(isPinned, number) } }
    }
    let isTaken = guardPins()
    if !isPinned { removeUnneeded() }
    return save() && isTaken
  }

  func clear(_ number: Int) -> Int {
    guard let entry = catalog.entry(number: number) else { return 0 }
    forbid(number)
    let versions = cache.versions(of: entry.key)
    for version in versions { cache.remove(version.name) }
    removeUnneeded()
    return versions.reduce(0) { $0 + $1.stored }
  }

  func remove(_ name: String) -> Int {
    cache.versions().filter { $0.name == name && cache.removeUnlessOpen($0.name) }
      .reduce(0) { $0 + $1.stored }
  }

  func forgot(_ entry: CatalogEntry) {}

  /// Saves what has changed, and unlocks everything.
  func end() {
    _ = save()
    cache.close()
    snapshot.release()
  }

  // MARK: Private

  /// Tells the cache which entries it must not evict. Returns false if the cache cannot save their
  /// list.
  @discardableResult
  private func guardPins() -> Bool {
    let (catalog, plan) = state.withLock { ($0.catalog.current, $0.plan) }
    return cache.pin(catalog.lasting(besidesPins: plan.kept.sorted()).map(\.key))
  }

  /// Notes that the user clears an entry. The next mount does not fetch it automatically.
  private func forbid(_ number: Int) {
    let memory: KeepPlan.Memory? = state.withLock { state in
      guard state.memory.rule != nil, state.memory.cleared.insert(number).inserted else {
        return nil
      }
      state.plan = KeepPlan(state.memory.rule, for: state.catalog.current, state.memory)
      state.memory = state.plan.memory
      return state.memory
    }
    guard let memory else { return }
    keepFile.write(memory)
    guardPins()
  }

  /// Removes from the listing the entries that the feed has dropped, unless they are pinned or
  /// complete.
  private func removeUnneeded() {
    let dropped = catalog.kept.filter { !$0.isPinned }
    guard !dropped.isEmpty else { return }
    let complete = dropped.filter { $0.known != nil && cachedBytes(of: $0) == $0.known?.length }
    state.withLock { state in
      _ = state.catalog.dropGone(keep: Set(complete.map(\.number)), open: [])
    }
  }

  /// Saves the catalog unless the disk has it. Returns false if the write fails.
  private func save() -> Bool {
    let (catalog, edition) = state.withLock { state in
      (state.catalog.current, state.catalog.edition == state.saved ? nil : state.catalog.edition)
    }
    guard let edition else { return true }
    guard (try? snapshot.write(catalog)) != nil else { return false }
    state.withLock { $0.saved = edition }
    return true
  }
}
