import Blocks
import Catalog
import FeedReading
import Filling
import Fuse
import Glibc
import Locks
import Storage
import StreamFiles
import SystemPackage
import World

/// The catalog of a mounted feed, its open versions, and the facts about versions that are not
/// open.
///
/// Safe from any thread. While the lock of `state` is held, only the locks of origins and versions
/// are taken. An open takes the lock of its inode in `opening` before the lock of `state`. It can
/// hold the lock in `opening` while a cache file is opened. The receiver of `facts` does the work
/// that follows from a change, such as notices and saving. Facts are posted with no lock held.
final class LiveCatalog: Sendable {
  /// An open version, and the number of its opens.
  struct Open {
    let version: EntryVersion
    var count: Int
  }

  /// An open, or a read, that waits until the kernel has the size of the file.
  struct Opening: Sendable {
    /// The thread that opens; nil for a read.
    let thread: KernelSizes.Opener?
    /// True if the thread's last open was answered with ESTALE. Linux tries an open again only
    /// once.
    var isSecondTry = false
    let then: @Sendable (Bool) -> Void
    /// Asks for the next step again. It is called if another size was proved during the wait. Nil
    /// if the opening can go on with any size.
    var again: (@Sendable () -> Void)?
  }

  struct State {
    var catalog: CatalogStore
    var open: [UInt64: Open] = [:]
    var sizes = KernelSizes()
    /// The length that the kernel is told for files of unknown length, and the range of all such
    /// lengths that it was told so far.
    var typicalLengths: TypicalLengths
    /// By inode: the opens and reads that wait until the kernel has the size.
    var openings: [UInt64: [Opening]] = [:]
    /// By inode: the cached bytes of versions that are not open, as far as they were measured.
    var measured: [UInt64: Holding] = [:]
    var revision = 0
    /// The time when the listing last changed, in seconds since 1970. It is 0 if it has not changed
    /// since the mount was made.
    var changedAt = 0
    var changes: ChangeLog
    /// The present plan of the user's `keep`.
    var keeping = KeepPlan.nothing
  }

  let state: Locked<State>
  let opening = NamedLocks<UInt64>()
  let maker: VersionMaker
  let wall: WallClock
  private let facts: FeedFacts
  /// Held while a page is merged.
  let merging = Lock()

  init(
    _ catalog: Catalog, maker: VersionMaker, wall: WallClock, facts: FeedFacts
  ) {
    state = Locked(
      State(
        catalog: CatalogStore(catalog), typicalLengths: TypicalLengths(catalog.typicalLength),
        changes: ChangeLog(at: wall.microseconds())))
    self.maker = maker
    self.wall = wall
    self.facts = facts
  }

  /// A number that grows when the listing or a fact about an entry changes.
  var revision: Int {
    state.withLock { $0.revision }
  }

  /// The time when the listing last changed, in seconds since 1970. It is 0 if it has not changed
  /// since the mount was made.
  var changedAt: Int {
    state.withLock { $0.changedAt }
  }

  var catalog: Catalog {
    state.withLock { $0.catalog.current }
  }

  /// The catalog, and a number that grows with each change of it.
  var current: (catalog: Catalog, edition: Int) {
    state.withLock { ($0.catalog.current, $0.catalog.edition) }
  }

  /// The layouts of streams that are saved on the disk.
  var layouts: SavedLayouts { SavedLayouts(cache: maker.cache) }

  func changed(_ fact: FeedFact) {
    facts.post(fact)
  }

  /// The versions that are open.
  var openVersions: [EntryVersion] {
    state.withLock { $0.open.values.map(\.version) }
  }

  /// True if any version is open for a reader or for the preloader.
  var isInUse: Bool {
    state.withLock { $0.open.values.contains { $0.count > 0 } }
  }

  /// Returns the version with this inode, and the number of its opens.
  func openings(of inode: UInt64) -> (version: EntryVersion, count: Int)? {
    state.withLock { $0.open[inode] }.map { ($0.version, $0.count) }
  }

  func version(of inode: UInt64) -> EntryVersion? {
    state.withLock { $0.open[inode]?.version }
  }

  func entry(inode: UInt64) -> CatalogEntry? {
    state.withLock { $0.catalog.current.entry(inode: inode) }
  }

  func entry(named name: String) -> CatalogEntry? {
    state.withLock { $0.catalog.current.entry(named: name) }
  }

  func entry(number: Int) -> CatalogEntry? {
    state.withLock { $0.catalog.current.entry(number: number) }
  }

  func listedEntry(number: Int) -> CatalogEntry? {
    state.withLock { state in
      let catalog = state.catalog.current
      return catalog.isListed(number) ? catalog.entry(number: number) : nil
    }
  }

  /// Returns the listed entry whose link in `by-title` has this name.
  func entry(titled name: String) -> CatalogEntry? {
    state.withLock { $0.catalog.current.entry(titled: name) }
  }

  /// Returns the listed entry whose link in `by-title` has this name, without its extension.
  func entry(titleStem stem: String) -> CatalogEntry? {
    state.withLock { $0.catalog.current.entry(titleStem: stem) }
  }

  var statistics: Statistics {
    let (catalog, typical) = state.withLock {
      ($0.catalog.current, $0.typicalLengths.current)
    }
    let sizes = catalog.listing(after: 0).lazy.map { $0.provedLength ?? $0.likelyLength ?? typical }
    return Statistics(files: catalog.entries.count, bytes: sizes.reduce(0) { $0 &+ max(0, $1) })
  }

  /// Returns the inodes of the next `count` listed entries after the entry with this inode, in the
  /// feed's own order. Entries that are web pages are skipped.
  func following(_ inode: UInt64, count: Int) -> [UInt64] {
    state.withLock { state in
      let catalog = state.catalog.current
      guard let number = catalog.entry(inode: inode)?.number,
        let place = catalog.order.firstIndex(of: number)
      else { return [] }
      let rest = catalog.order[place...].dropFirst().lazy.compactMap { catalog.entry(number: $0) }
      let listed = rest.filter { catalog.isListed($0.number) && !$0.media.isPage }
      return Array(listed.prefix(count).map(\.inode))
    }
  }

  /// Returns the web pages among the next `count` listed entries after the entry with this inode,
  /// without web pages that are cached as a whole.
  func pages(after inode: UInt64, among count: Int) -> [CatalogEntry] {
    let catalog = catalog
    guard let number = catalog.entry(inode: inode)?.number,
      let place = catalog.order.firstIndex(of: number)
    else { return [] }
    let rest = catalog.order[place...].dropFirst().lazy.filter(catalog.isListed)
    return rest.prefix(count).compactMap { catalog.entry(number: $0) }
      .filter { $0.media.isPage && bytesOnDisk(of: $0) != $0.known?.length }
  }

  /// Returns how much is cached of the current version of `entry`.
  func holding(of entry: CatalogEntry) -> Holding {
    let (open, measured) = state.withLock {
      ($0.open[entry.inode]?.version, $0.measured[entry.inode])
    }
    if let holding = open?.holding ?? measured { return holding }
    let holding = maker.cache.holding(of: entry)
    state.withLock { $0.measured[entry.inode] = holding }
    return holding
  }
}
