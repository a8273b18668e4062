import Blocks
import Control
import Dispatch
import Catalog
import FeedReading
import Fuse
import Glibc
import HTTP
import Host
import Logging
import Locks
import Quantities
import Storage
import SystemPackage
import World

/// All parts behind the file system of one mount, connected with each other. Only this type and
/// `MountedFeed` choose the mount's clock, network and disk.
///
/// Safe from any thread.
final class MountContext: Sendable {
  typealias Place = FeedPlaces.Place

  let options: MountOptions
  let client: HTTPClient
  let needs: FeedNeeds
  let feeds: FeedPlaces
  /// The user's subscriptions; nil if the mount was started for feeds that the command named.
  let followed: FollowedFeeds?
  let following = Locked(Following())
  private let kernel: KernelLink
  private let started: Int
  private let ending = Lock()
  private let device = Locked<Int?>(nil)
  private let door = Locked<ControlDoor?>(nil)
  private let network: NetworkWatch
  private let watch: FileWatch?
  let turning: AsyncQueue
  /// Runs changes of the subscriptions, one after the other.
  let changing: AsyncQueue
  let cacheWork: CacheAdmin

  private init(
    _ options: MountOptions, client: HTTPClient, kernel: KernelLink, with needs: FeedNeeds,
    feeds: FeedPlaces, followed: FollowedFeeds?
  ) {
    let world = needs.world
    self.options = options
    self.client = client
    self.kernel = kernel
    self.needs = needs
    self.feeds = feeds
    self.followed = followed
    started = world.wall.seconds
    network = NetworkWatch { client.networkChanged() }
    watch = followed.map { FileWatch($0.file) }
    turning = AsyncQueue(world.tasks)
    changing = AsyncQueue(world.tasks)
    cacheWork = CacheAdmin(
      on: { feeds.listed.map { CacheAdmin.Member(feed: $0.feed, prefix: $0.prefix) } },
      in: options.directories.cache, preloader: needs.preloader,
      jobs: world.jobs("feedfs.cache"))
  }

  var world: World { needs.world }
  var log: Logger { needs.log }
  var preloader: Preloader { needs.preloader }
  var prober: SizeProber? { needs.prober }
  var networkControl: NetworkControl { needs.networkControl }
  /// The size limit of the cache; nil if it has none.
  var limit: CacheLimit? { needs.limit }

  /// The feeds that the mount lists.
  var places: [Place] { feeds.listed }

  /// Locks the caches of the feeds and reads their snapshots. A feed that was never read is read
  /// over the network.
  ///
  /// If the mount has only one feed, and it cannot be read, this throws. In a mount of several
  /// feeds, a feed is allowed to be unreachable. A slow feed delays the mount only briefly.
  ///
  /// - Parameter followed: the user's subscriptions; nil if the mount was started for feeds that
  ///   the command named.
  static func make(
    _ options: MountOptions, following followed: FollowedFeeds? = nil, log: Logger
  ) async throws(CommandError) -> MountContext {
    do { try OwnDirectory.check(options.directories.state) } catch { throw CommandError(error) }
    let choices = try FeedLists.fromFiles(options.feeds)
    let client: HTTPClient
    do {
      var network = options.settings.network.configuration(for: choices)
      if log.logLevel <= .debug { network.report = { log.debug("\($0)") } }
      client = try HTTPClient(network)
    } catch {
      throw CommandError(any: error)
    }
    let kernel = KernelLink()
    let world = World.real(client, kernel: kernel) { format, file in
      log.warning("the file \(format.words)", metadata: ["file": "\(file)"])
    }
    let needs = Self.needs(of: options, in: world, log)
    let rate = needs.networkControl.rate
    if let limit = rate.bytesPerSecond { await client.limit(to: limit) }
    if needs.networkControl.mode != .online { await client.turn(isOpen: false) }
    let layout = followed.map { _ in
      LayoutFile(of: options.mountPoint, in: options.directories, on: world.disk)
    }
    let set = FeedSet(needs, layout: layout?.layout)
    do throws(CommandError) {
      let started = world.wall.seconds
      let feeds = FeedPlaces(
        try await set.feeds(choices), of: set, layoutFile: layout, preloader: needs.preloader,
        in: world
      ) { Self.tree(of: $0, in: world, options, started: started) }
      return MountContext(
        options, client: client, kernel: kernel, with: needs, feeds: feeds, followed: followed)
    } catch {
      client.shutDown()
      throw error
    }
  }

  /// Makes the parts that all feeds of the mount share.
  private static func needs(
    of options: MountOptions, in world: World, _ log: Logger
  ) -> FeedNeeds {
    let (settings, directories) = (options.settings, options.directories)
    let clock = world.timekeeper("feedfs.preloader")
    let preloader = Preloader(clock)
    preloader.meter(settings.isMetered)
    let limit = settings.cacheSize.bytes { DiskSize.total(of: directories.cache) }.map {
      CacheLimit(at: directories.cache, bytes: $0)
    }
    let control = NetworkControl(
      options.mode, rate: settings.limitRate, isMetered: settings.isMetered, clock: clock)
    let prober =
      settings.sizes == .open
      ? nil
      : SizeProber(Ledger(in: directories.state, on: world.disk), in: world) {
        control.mayProbe
      }
    return FeedNeeds(
      directories: directories, settings: settings, world: world, preloader: preloader,
      prober: prober, limit: limit, networkControl: control, log: log)
  }

  var fileSystem: any ReadOnlyFileSystem {
    let status = GeneratedFiles.Document(
      inode: ReservedInode.status, name: "status.json", folder: .control, revision: nil
    ) { [self] in statusDocument() }
    let root = RootAttributes { [door] in door.withLock { $0 }?.socket }
    let places = places
    if followed == nil, places.count == 1 {
      return Self.tree(
        of: places[0].feed, and: [status], root: root, in: world, options, started: started)
    }
    let cache = options.directories.cache
    let documents = GeneratedFiles([status], in: world) { [feeds] in
      feeds.listed.lazy.compactMap(\.feed.cache.root).first ?? cache
    }
    return FeedSetFileSystem(documents: documents, root: root, started: started) { [feeds] in
      feeds.shape
    }
  }

  /// The options of the mount. With `allow_other` only root gets `auto_unmount`, because ordinary
  /// users cannot combine the two.
  var mountOptions: [String] {
    let hosts = places.map(\.feed.key.displayHost)
    // A comma would begin another option, so it is replaced.
    let source = hosts.count == 1 ? hosts[0].replacing(",", with: "_") : "\(hosts.count) feeds"
    var all = [
      "fsname=feedfs#\(source)", "subtype=feedfs", "default_permissions", "nosuid",
      "nodev",
    ]
    if options.allowsOther { all.append("allow_other") }
    if !options.allowsOther || geteuid() == 0 { all.append("auto_unmount") }
    // mount(8) passes "rw" if fstab has no such option. The last option counts, so "ro" comes last.
    return all + options.mountOptions + ["ro"]
  }

  /// Starts the feeds, and watches the network and the subscriptions for changes from now on. Sends
  /// all notices to the kernel through `notices`.
  ///
  /// - Parameter device: the minor number of the mounted device; nil if unknown.
  func begin(_ notices: any KernelNotices, device: Int?) {
    kernel.attach(notices)
    self.device.withLock { $0 = device }
    feeds.begin()
    network.begin()
    guard let watch else { return }
    watch.begin { [weak self] in self?.subscriptionsChanged() }
    // The file might have changed since the command read it.
    subscriptionsChanged()
  }

  /// Remembers `door`, through which commands send their requests from now on.
  func begin(_ door: ControlDoor) {
    self.door.withLock { $0 = door }
  }

  var identity: MountIdentity {
    MountIdentity(
      version: Product.version, pid: Int(getpid()), mountPoint: options.mountPoint.string,
      device: device.withLock { $0 })
  }

  /// Ends the waiting reads of a process with an error, and returns their number.
  func release(_ process: Int32) -> Int {
    kernel.release(process)
  }

  /// True if the kernel reads complete files without the daemon.
  var passesThrough: Bool {
    kernel.passesThrough
  }

  /// Ends every waiting read with an error, and stops all preloads and requests for sizes.
  func stopReaders() {
    preloader.end()
    prober?.end()
    for place in feeds.all { place.feed.stopReaders() }
  }

  /// Flushes and releases everything before it returns. A concurrent call waits until the first
  /// call is done.
  func end() {
    ending.lock()
    defer { ending.unlock() }
    network.end()
    watch?.end()
    let feeds = feeds.end()
    stopReaders()
    client.shutDown()
    // The feeds end at the same time, because each one waits for the disk.
    DispatchQueue.concurrentPerform(iterations: feeds.count) { feeds[$0].end() }
  }

  // MARK: Private

  private static func tree(
    of feed: MountedFeed, and documents: [GeneratedFiles.Document] = [],
    root: RootAttributes? = nil, in world: World, _ options: MountOptions, started: Int
  ) -> FeedFileSystem {
    let cache = options.directories.cache
    // The feed's folder can be renamed while the mount runs, so these names do not include the
    // folder.
    let facts = EntryFacts(feed.live, in: feed.space, prefix: "")
    return FeedFileSystem(
      feed.live, facts: facts,
      documents: GeneratedFiles(feed.documents + documents, in: world) { [feed] in
        feed.cache.root ?? cache
      },
      sidecars: feed.sidecars, space: feed.space, root: root, started: started
    ) { feed.opened($0, by: $1) }
  }
}
