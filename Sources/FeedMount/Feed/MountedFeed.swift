import Addresses
import Blocks
import Control
import Catalog
import FeedReading
import Fuse
import Glibc
import HTTP
import Host
import Logging
import NIOConcurrencyHelpers
import Storage
import Streaming
import SystemPackage

/// A feed of a mount: its catalog, its cache, and the parts that keep both up to date.
///
/// Safe from any thread.
final class MountedFeed: Sendable {
  let key: FeedKey
  let choice: FeedChoice
  let live: LiveCatalog
  let cache: CacheDirectory
  let problems: CacheProblems
  let refresher: FeedRefresher
  let sidecars: SidecarFiles
  let saver: CatalogSaver
  let keeper: Keeper
  /// The range of its inodes in the mount.
  let space: InodeSpace
  let world: World
  private let resolver: Resolver?
  private let snapshot: SnapshotFile
  private let nameFile: SnapshotFile
  private let namingFile: NamingFile
  private let facts: FeedFacts
  private let performer: FeedPerformer
  private let ending = NIOLock()
  private let checks: FreshnessChecks
  private let wasRead = NIOLockedValueBox(false)

  private init(
    _ choice: FeedChoice, stateIn directory: FilePath, _ settings: MountSettings, key: FeedKey,
    at space: InodeSpace, in world: World, cache: CacheDirectory, limit: CacheLimit?,
    snapshot: SnapshotFile, catalog: Catalog, preloader: Preloader,
    prober: SizeProber?, networkControl: NetworkControl, rules: FillRules, firstPage: HeadStart?,
    resolver: Resolver?, log: Logger
  ) {
    self.key = key
    self.choice = choice
    self.space = space
    self.world = world
    self.cache = cache
    self.snapshot = snapshot
    nameFile = SnapshotFile(in: directory, name: "folder", on: world.disk)
    namingFile = NamingFile(in: directory, on: world.disk)
    problems = CacheProblems(of: cache, by: world.tasks.clock, log: log)
    facts = FeedFacts()
    var rules = rules
    rules.readTimeout = settings.network.readTimeout
    rules.wholeAfter = settings.fill.wholeAfter
    rules.longestGrowth = settings.longestGrowth
    rules.kernelPage = max(4 << 10, sysconf(Int32(_SC_PAGESIZE)))
    self.resolver = resolver
    resolver?.turn(isOpen: networkControl.mode == .online)
    let maker = VersionMaker(
      world: world,
      origins: OriginServices(
        client: world.network, feed: choice.typed, resolver: resolver,
        failures: Failures(now: { world.wall.seconds }, log),
        films: StreamMaker(for: choice, cache: cache, in: world), tasks: world.tasks),
      cache: cache, timekeeper: world.timekeeper("feedfs.time"),
      rules: rules, mode: { networkControl.mode }, isSparing: { networkControl.isSparing },
      lines: KnownLines(SnapshotFile(in: directory, name: "lines", on: world.disk)),
      complain: { [problems] in problems.note($0) },
      tell: { [facts] in facts.post(.version($0, of: $1)) })
    live = LiveCatalog(catalog, maker: maker, wall: world.wall, facts: facts)
    let chores = world.jobs("feedfs.chores")
    saver = CatalogSaver(live, to: snapshot, chores: chores, log: log)
    checks = FreshnessChecks(live, for: choice.typed, in: world)
    refresher = FeedRefresher(
      FeedPage(choice: choice, client: firstPage as (any DocumentClient)? ?? world.network),
      live: live, in: world,
      save: { [saver] in await saver.saved() },
      moved: { address in
        log.notice("the feed has moved", metadata: ["to": "\(WebAddress.shown(address))"])
      }
    ) { problem in
      guard let problem else { return log.info("refreshed") }
      log.warning("feed not refreshed", metadata: ["why": "\(problem)"])
    }
    sidecars = SidecarFiles(
      live, kinds: choice.sidecars, cache: cache, in: world, feed: choice.typed)
    keeper = Keeper(
      choice.keep, in: live, memory: SnapshotFile(in: directory, name: "kept", on: world.disk),
      jobs: chores
    ) { [saver] in saver.write() }
    performer = FeedPerformer(
      facts, of: live, saver, refresher, preloader,
      ahead: resolver.map { PagesAhead(choice.resolvesAhead, by: $0, tasks: world.tasks) },
      keeper: keeper,
      findSizes: { [live, sidecars] in
        prober?.follow(SizeProber.Member(live: live, sidecars: sidecars, typed: choice.typed))
      },
      chores: chores, at: space, in: world, log: log)
    live.guardPins()
    limit?.join(cache) { [live] in
      live.catalog.listed.map(\.key)
    } evicted: { [live] in
      live.evicted($0)
    }
  }

  /// Locks the cache of the feed and reads its snapshot; sends no request.
  ///
  /// - Parameters:
  ///   - space: the place of its inodes in the mount.
  ///   - prober: asks for sizes; nil if it should not.
  ///   - rules: the rules of fetching that the options do not change.
  ///   - firstPage: the request for its first page, if that is under way already.
  ///   - turns: the turns of resolutions, which all feeds of a mount share.
  ///   - waits: whether to wait for a daemon that still has the cache. Such a daemon may be
  ///     shutting down.
  static func make(
    _ choice: FeedChoice, in directories: MountDirectories, _ settings: MountSettings,
    at space: InodeSpace, in world: World, preloader: Preloader, prober: SizeProber? = nil,
    limit: CacheLimit?, networkControl: NetworkControl, rules: FillRules = FillRules(),
    firstPage: HeadStart? = nil,
    turns: ResolutionTurns = ResolutionTurns(), log: Logger,
    waits: Bool = true
  ) async throws(MountError) -> MountedFeed {
    let key: FeedKey
    do { key = try FeedKey(choice.address) } catch { throw MountError(error) }
    let directory = directories.state(of: choice)
    let snapshot = Self.snapshot(of: choice, in: directories, world)
    let cache = try await openCache(
      in: directories.cache, settings.minFree, key, limit, snapshot, in: world,
      attempts: waits ? patience : 0)
    do {
      var newer: CatalogError?
      let known = try snapshot.read(inPiecesOf: 256 << 10) { next in
        do throws(CatalogError) {
          return try Catalog(reading: next)
        } catch {
          if case .newerFormat = error { newer = error }
          throw error
        }
      }
      if let newer { throw MountError(.configuration, "\(key.shown): \(newer)") }
      var catalog = known ?? Catalog(feed: key)
      catalog.move.subscribed(to: choice.moved)
      catalog.take(choice.rules, at: world.wall.seconds)
      do throws(StorageError) {
        let naming = NamingFile(in: directory, on: world.disk)
        try naming.name(&catalog, as: choice.names, savedTo: snapshot)
      } catch {
        log.warning("the files keep their names", metadata: ["why": "\(error)"])
      }
      return MountedFeed(
        choice, stateIn: directory, settings, key: key, at: space, in: world, cache: cache,
        limit: limit,
        snapshot: snapshot, catalog: catalog, preloader: preloader, prober: prober,
        networkControl: networkControl, rules: rules, firstPage: firstPage,
        resolver: Resolver(
          choice, ledger: ResolutionLedger(in: directories.state, on: world.disk), turns: turns,
          stateIn: directory, in: world),
        log: log)
    } catch {
      cache.close()
      snapshot.release()
      throw error as? MountError ?? MountError(any: error)
    }
  }

  /// Returns whether the feed was ever read, by a look at the disk alone.
  static func isKnown(
    _ choice: FeedChoice, in directories: MountDirectories, _ world: World
  ) -> Bool {
    Self.snapshot(of: choice, in: directories, world).exists
  }

  /// True if the feed was ever read.
  var isKnown: Bool {
    live.catalog.page.checkedAt != nil
  }

  /// Reads the feed for the first time.
  func readFirst() async throws(FeedPage.Failure) {
    if let failure = await refresher.readFirst() { throw failure }
    wasRead.withLockedValue { $0 = true }
  }

  /// True if its folder has a name from an earlier mount.
  var hasRememberedName: Bool { rememberedName != nil }

  /// Returns a name of its folder that is not in `taken`, and saves it for later mounts.
  ///
  /// - Parameter wish: the name that the user gives the folder; nil if the user gives none.
  func takeFolderName(_ wish: String?, besides taken: Set<String>) -> String {
    let name = folderName(wish, besides: taken)
    // Until the feed is read for the first time, the folder bears the host's name. That name is not
    // saved.
    if wish == nil, name != rememberedName, title != nil {
      try? nameFile.write(Array(name.utf8))
    }
    return name
  }

  /// Returns the name that its folder would have besides the names in `taken`.
  func folderName(_ wish: String?, besides taken: Set<String>) -> String {
    FolderName.name(wish ?? rememberedName ?? title ?? key.displayHost, besides: taken)
  }

  private var title: String? {
    let own = live.catalog.title
    return choice.title ?? (own.isEmpty ? nil : own)
  }

  private var rememberedName: String? {
    (try? nameFile.read { String(decoding: $0, as: UTF8.self) }) ?? nil
  }

  /// Its move, if there was one that its subscription should name.
  var move: FeedMoves.Move? {
    let move = live.catalog.move
    guard move.hasHappened, choice.list == nil else { return nil }
    return FeedMoves.Move(feed: key.value, to: move.address ?? key.value, former: move.former)
  }

  /// Starts refreshing and sending notices. The kernel sends requests from now on.
  func begin() {
    namingFile.remember(live.catalog.names)
    facts.post(.mounted)
    refresher.begin(atOnce: !wasRead.withLockedValue { $0 })
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

  /// Checks the freshness of an opened entry. Near the feed's end, it also reads a further page.
  func opened(_ version: EntryVersion, by program: String) {
    checks.check(version)
    guard live.isNearEnd(version.number), !EntryReader.lookers.contains(program) else { return }
    refresher.loadMore()
  }

  /// Sets the network mode of the resolver, the open versions and the refresher. New versions are
  /// made with it.
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

  /// Flushes and releases everything before it returns, also for concurrent callers.
  func end() {
    ending.lock()
    defer { ending.unlock() }
    stopReaders()
    performer.end()
    namingFile.remember(live.catalog.names)
    cache.close()
    snapshot.release()
  }

  // MARK: Private

  private static func snapshot(
    of choice: FeedChoice, in directories: MountDirectories, _ world: World
  ) -> SnapshotFile {
    SnapshotFile(in: directories.state(of: choice), name: "catalog.json", on: world.disk)
  }

  /// The number of tries to lock a cache whose daemon may be shutting down. They are 50 ms apart.
  private static let patience = 40

  private static func openCache(
    in root: FilePath, _ minFree: FreeSpaceRule, _ key: FeedKey, _ limit: CacheLimit?,
    _ snapshot: SnapshotFile, in world: World, attempts: Int
  ) async throws(MountError) -> CacheDirectory {
    var left = attempts
    while true {
      do throws(StorageError) {
        let cache = try CacheDirectory(
          at: root, feedKey: key.value, minFree: minFree, limit: limit, on: world.disk)
        do throws(StorageError) {
          try snapshot.hold()
        } catch {
          cache.close()
          throw error
        }
        return cache
      } catch {
        guard case .inUse = error, left > 0 else { throw MountError(error) }
        // The process tries again and again, because a wait for the lock itself has no time limit.
        // The daemon needs no longer than a flush.
        left -= 1
        try? await world.tasks.sleep(for: .milliseconds(50))
      }
    }
  }
}
