import Addresses
import Blocks
import Control
import Catalog
import FeedReading
import Filling
import Fuse
import Glibc
import HTTP
import Host
import Logging
import Locks
import Resolving
import Storage
import SystemPackage
import World

/// A feed of a mount: its catalog, its cache, and the parts that keep both up to date.
///
/// Safe from any thread.
final class MountedFeed: Sendable {
  let key: FeedKey
  let choice: FeedChoice
  let cache: CacheDirectory
  let problems: CacheProblems
  /// The directory of the feed's catalog and other state.
  let directory: FilePath
  private let needs: FeedNeeds
  private let workers: FeedWorkers
  private let resolver: Resolver?
  private let snapshot: SnapshotFile
  private let nameFile: SavedValue<String>
  private let facts: FeedFacts
  private let performer: FeedPerformer
  private let ending = Lock()
  private let checks: FreshnessChecks
  private let wasRead = Locked(false)

  private init(
    _ opened: OpenedFeed, _ catalog: Catalog, at space: InodeSpace, with needs: FeedNeeds,
    firstPage: HeadStart?
  ) {
    let (choice, cache) = (opened.choice, opened.cache)
    let (world, log) = (needs.world, needs.log)
    key = opened.key
    self.choice = choice
    directory = opened.directory
    self.cache = cache
    self.needs = needs
    snapshot = opened.snapshot
    nameFile = SavedValue(in: opened.directory, name: "folder", as: .text, on: world.disk)
    problems = CacheProblems(of: cache, by: world.tasks.clock, log: log)
    facts = FeedFacts()
    resolver = Resolver(
      choice.resolver, of: choice.typed, choosing: choice.media, turns: needs.turns,
      stateIn: opened.directory, budgetIn: needs.directories.state, in: world)
    resolver?.turn(isOpen: needs.networkControl.mode == .online)
    let maker = VersionMaker(
      of: opened, with: needs, resolver: resolver,
      complain: { [problems] in problems.note($0) },
      tell: { [facts] in facts.post(.version($0, of: $1)) })
    let live = LiveCatalog(catalog, maker: maker, wall: world.wall, facts: facts)
    let chores = world.jobs("feedfs.chores")
    let saver = CatalogSaver(live, to: opened.snapshot, chores: chores, log: log)
    checks = FreshnessChecks(live, for: choice.typed, in: world)
    let refresher = FeedRefresher(
      FeedPage(choice: choice, client: firstPage as (any DocumentClient)? ?? world.network),
      live: live, in: world,
      save: { await saver.saved() },
      moved: { address in
        log.notice("the feed has moved", metadata: ["to": "\(WebAddress.shown(address))"])
      }
    ) { problem in
      guard let problem else { return log.info("refreshed") }
      log.warning("the feed could not be refreshed", metadata: ["why": "\(problem)"])
    }
    workers = FeedWorkers(
      choice: choice, space: space, live: live, saver: saver, refresher: refresher,
      sidecars: SidecarFiles(
        live, kinds: choice.sidecars, cache: cache, in: world, feed: choice.typed),
      keeper: Keeper(
        choice.keep, in: live, memory: Keeper.file(in: opened.directory, on: world.disk),
        jobs: chores
      ) { saver.write() },
      ahead: resolver.map { PagesAhead(choice.resolvesAhead, by: $0, tasks: world.tasks) },
      chores: chores)
    performer = FeedPerformer(facts, of: workers, with: needs)
    live.guardPins()
    needs.limit?.join(cache) {
      live.catalog.listed.map(\.key)
    } evicted: {
      live.evicted($0)
    }
  }

  /// Locks the cache of the feed and reads its snapshot; sends no request.
  ///
  /// - Parameters:
  ///   - space: the range of the feed's inodes in the mount.
  ///   - firstPage: the request for the feed's first page, if it is under way already.
  ///   - waits: whether to wait for a daemon that still has the cache. Such a daemon can be
  ///     shutting down.
  static func make(
    _ choice: FeedChoice, at space: InodeSpace, with needs: FeedNeeds,
    firstPage: HeadStart? = nil, waits: Bool = true
  ) async throws(CommandError) -> MountedFeed {
    let opened = try await OpenedFeed(choice, with: needs, waits: waits)
    let catalog = opened.catalog(with: needs)
    return MountedFeed(opened, catalog, at: space, with: needs, firstPage: firstPage)
  }

  // MARK: Parts

  var live: LiveCatalog { workers.live }
  var refresher: FeedRefresher { workers.refresher }
  var sidecars: SidecarFiles { workers.sidecars }
  var saver: CatalogSaver { workers.saver }
  var keeper: Keeper { workers.keeper }
  /// The range of the feed's inodes in the mount.
  var space: InodeSpace { workers.space }
  var world: World { needs.world }

  // MARK: Reading

  /// Returns whether the feed was ever read: its snapshot is on the disk. Blocks on the disk.
  static func isKnown(_ choice: FeedChoice, with needs: FeedNeeds) -> Bool {
    LockedFeed.snapshot(
      of: choice, in: needs.directories, on: needs.world.disk
    ).exists
  }

  /// True if the feed was ever read.
  var isKnown: Bool {
    live.catalog.page.checkedAt != nil
  }

  /// Reads the feed for the first time.
  func readFirst() async throws(FeedPage.Failure) {
    if let failure = await refresher.readFirst() { throw failure }
    wasRead.withLock { $0 = true }
  }

  /// True if the feed's folder has a name from an earlier mount.
  var hasRememberedName: Bool { rememberedName != nil }

  /// Returns a name of the feed's folder that is not in `taken`, and saves it for later mounts.
  ///
  /// - Parameter wish: the name that the user gives the folder; nil if the user gives none.
  func takeFolderName(_ wish: String?, besides taken: Set<String>) -> String {
    let name = folderName(wish, besides: taken)
    // Until the feed is read for the first time, its folder has the name of the host. That name is
    // not saved.
    if wish == nil, name != rememberedName, title != nil {
      nameFile.write(name)
    }
    return name
  }

  /// Returns the name that the feed's folder would get if the names in `taken` are in use.
  func folderName(_ wish: String?, besides taken: Set<String>) -> String {
    FolderName.name(wish ?? rememberedName ?? title ?? key.displayHost, besides: taken)
  }

  private var title: String? {
    let own = live.catalog.title
    return choice.title ?? (own.isEmpty ? nil : own)
  }

  private var rememberedName: String? { nameFile.read() }

  /// The move that the feed's subscription should name; nil if there is none, or if the feed comes
  /// from a list of feeds.
  var move: FeedMoves.Move? {
    let move = live.catalog.move
    guard move.hasHappened, choice.list == nil else { return nil }
    return FeedMoves.Move(feed: key.value, to: move.address ?? key.value, former: move.former)
  }

  /// Starts refreshing and preloading. The feed is mounted from now on.
  func begin() {
    facts.post(.mounted)
    refresher.begin(atOnce: !wasRead.withLock { $0 })
  }

  /// The files that are generated from the catalog.
  var documents: [GeneratedFiles.Document] {
    let revision: @Sendable () -> Int = { [live] in live.revision }
    return [
      GeneratedFiles.Document(
        inode: ReservedInode.playlist, name: "playlist.m3u8", folder: .root, revision: revision
      ) { [live] in Playlist.m3u8(of: live.catalog) },
      GeneratedFiles.Document(
        inode: ReservedInode.listing, name: "feed.json", folder: .control, revision: revision,
        isLong: true
      ) { [live] in CatalogDocument(live.catalog) { WebAddress.shown($0) }.pieces },
    ]
  }

  /// Checks the freshness of an opened entry. If the entry is near the feed's end, also reads a
  /// further page, unless the program is one that only looks at files.
  func opened(_ version: EntryVersion, by program: String) {
    checks.check(version)
    let onlyLooks = ProgramKind(of: program)?.onlyLooks ?? false
    if !onlyLooks { refresher.loadMore(behind: version.number) }
  }

  /// Sets the network mode of the resolver, the open versions and the refresher. Versions that are
  /// made later get the mode when they are made.
  func turn(_ mode: NetworkMode) {
    resolver?.turn(isOpen: mode == .online)
    live.turn()
    refresher.turn(mode)
  }

  /// Tells the open versions whether their read-ahead is short.
  func spare() {
    live.turn()
  }

  /// Ends every waiting read with an error.
  func stopReaders() {
    refresher.end()
    resolver?.end()
    for version in live.openVersions { version.filler.end() }
  }

  /// Flushes and releases everything before it returns. A concurrent call waits until the first
  /// call is done.
  func end() {
    ending.lock()
    defer { ending.unlock() }
    stopReaders()
    performer.end()
    cache.close()
    snapshot.release()
  }
}
