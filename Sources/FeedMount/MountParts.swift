import Blocks
import Feeds
import Fuse
import Glibc
import HTTP
import Logging
import NIOConcurrencyHelpers
import Storage
import Streaming

/// Everything behind the file system of one mount, wired together; what the product uses for clock,
/// network and disk is chosen here and nowhere else.
///
/// Safe from any thread. Blocking work that nobody waits for (saving, flushing) is done on `chores`,
/// one thing after the other.
final class MountParts: Sendable {
  let key: FeedKey
  let options: MountOptions
  let live: LiveCatalog
  let client: HTTPClient
  let cache: CacheDirectory
  let complaints: Complaints
  let refresher: FeedRefresher
  private let snapshot: SnapshotFile
  private let events: MountEvents
  private let started = MountParts.now()
  private let ending = NIOLock()
  private let checks = NIOLockedValueBox(0)

  private init(
    _ options: MountOptions, key: FeedKey, client: HTTPClient, cache: CacheDirectory,
    snapshot: SnapshotFile, catalog: Catalog, log: Logger
  ) {
    self.key = key
    self.options = options
    self.client = client
    self.cache = cache
    self.snapshot = snapshot
    complaints = Complaints(log)
    events = MountEvents(snapshot, log: log)
    var rules = FillRules()
    rules.readTimeout = .seconds(options.readTimeout)
    let maker = VersionMaker(
      client: client, cache: cache, timekeeper: SystemTimekeeper(), rules: rules,
      complain: { [complaints] in complaints.note($0) },
      tell: { [events] in events.happened($0, to: $1) })
    live = LiveCatalog(catalog, maker: maker) { [events] in events.changed($0) }
    refresher = FeedRefresher(
      options.feedURL, client: client, live: live,
      schedule: options.schedule, now: Self.now
    ) { problem in
      guard let problem else { return log.info("refreshed") }
      log.warning("feed not refreshed", metadata: ["why": "\(problem)"])
    }
    events.begin(live: live, refresher: refresher)
  }

  /// Takes the cache of the feed and reads what is known of it; asks nobody.
  static func make(_ options: MountOptions, log: Logger) async throws(MountError) -> MountParts {
    let key: FeedKey
    do { key = try FeedKey(options.feed) } catch { throw MountError(error) }
    let cache = try await openCache(options, key)
    let snapshot = SnapshotFile(
      in: options.feedStateDirectory, name: "catalog.json")
    do {
      let catalog = try snapshot.read { try Catalog(decoding: $0) }
      let client = try HTTPClient(options.network())
      return MountParts(
        options, key: key, client: client, cache: cache, snapshot: snapshot,
        catalog: catalog ?? Catalog(feed: key), log: log)
    } catch let error as StorageError {
      throw MountError(error)
    } catch let error as HTTPError {
      throw MountError(error)
    } catch {
      throw error as? MountError ?? MountError(.inputOutput, "\(error)")
    }
  }

  /// Reads the feed if it was never read before; returns whether it did.
  func readIfNew() async throws(MountError) -> Bool {
    guard live.catalog.page.checkedAt == nil else { return false }
    do {
      _ = try await FeedPage.read(refresher.url, into: live, by: client, now: Self.now)
      events.save(live)  // so that a mount which was there once can be had without a network
      return true
    } catch {
      end()
      switch error {
      case .http(let error): throw MountError(error)
      case .feed: throw MountError(.noInput, error.description)
      }
    }
  }

  func makeFileSystem() -> FeedFileSystem {
    let generated = GeneratedFiles(live) { [self] in statusDocument() }
    return FeedFileSystem(live, generated: generated, started: started) { [self] version in
      checkFreshness(of: version)
    }
  }

  /// `auto_unmount` cannot be had together with `allow_other` by ordinary users.
  var mountOptions: [String] {
    var all = [
      "fsname=feedfs#\(key.displayHost)", "subtype=feedfs", "default_permissions", "nosuid",
      "nodev", "ro",
    ]
    if options.allowsOther { all.append("allow_other") }
    if !options.allowsOther || geteuid() == 0 { all.append("auto_unmount") }
    return all + options.mountOptions
  }

  /// The kernel asks from now on.
  func begin(_ session: FuseSession, refreshesAtOnce: Bool) {
    events.begin(session)
    refresher.begin(atOnce: refreshesAtOnce)
  }

  /// Every read that waits is answered, with an error.
  func stopReaders() {
    refresher.end()
    for version in live.openVersions { version.filler.end() }
  }

  /// Everything is flushed and let go of when this returns, whoever else calls it meanwhile.
  func end() {
    ending.lock()
    defer { ending.unlock() }
    stopReaders()
    client.shutDown()
    events.end()
    cache.close()
  }

  /// Seconds since 1970.
  static func now() -> Int {
    time(nil)
  }

  // MARK: Private

  /// How often to try, 50 ms apart, for a daemon that is on its way out to let go of its cache.
  private static let patience = 40

  /// Checks that may wait for their answers: an origin that is away must not gather one for each
  /// file that is opened meanwhile.
  private static let mostChecks = 32

  private static func openCache(
    _ options: MountOptions, _ key: FeedKey
  ) async throws(MountError) -> CacheDirectory {
    let rule = try options.freeSpaceRule()
    var attempts = 0
    while true {
      do throws(StorageError) {
        return try CacheDirectory(
          at: options.cacheDirectory, feedKey: key.value, minFree: rule)
      } catch {
        guard case .inUse = error, attempts < patience else { throw MountError(error) }
        // Its lock cannot be waited for with a time limit, and it needs no longer than a flush.
        attempts += 1
        try? await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  private func checkFreshness(of version: EntryVersion) {
    guard let entry = live.entry(inode: version.inode.number),
      let representation = version.filler.representation,
      entry.known?.isStale(at: Self.now()) ?? true,
      checks.withLockedValue({ $0 < Self.mostChecks }), version.beginCheck()
    else { return }
    checks.withLockedValue { $0 += 1 }
    FreshnessCheck.start(
      representation, at: version.origin.url,
      firstBlock: version.file?.checksum(of: BlockIndex(0)), by: client
    ) { [live, checks] result in
      version.endCheck()
      checks.withLockedValue { $0 -= 1 }
      switch result {
      case .same(let freshFor):
        let known = KnownBody(
          representation, type: entry.known?.contentType, freshFor: freshFor, at: Self.now())
        live.know(known, of: version.inode.number)
      case .changed: version.filler.supersede()
      case .unknown: break
      }
    }
  }
}
