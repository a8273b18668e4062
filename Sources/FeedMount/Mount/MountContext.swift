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
import NIOConcurrencyHelpers
import Storage
import SystemPackage

/// All parts behind the file system of one mount, connected with each other. Only this type and
/// `MountedFeed` choose the mount's clock, network and disk.
///
/// Safe from any thread.
final class MountContext: Sendable {
  /// A feed with its place in the mount.
  struct Place: Sendable {
    let feed: MountedFeed
    /// The folder's name; empty for the root.
    let folder: String

    var space: InodeSpace { feed.space }
  }

  let options: MountOptions
  let client: HTTPClient
  let places: [Place]
  let world: World
  private let kernel: KernelLink
  private let started: Int
  private let ending = NIOLock()
  private let device = NIOLockedValueBox<Int?>(nil)
  private let door = NIOLockedValueBox<ControlDoor?>(nil)

  private let preloader: Preloader
  private let network: NetworkWatch
  let networkControl: NetworkControl
  let turning: AsyncQueue
  /// The size limit of the cache; nil if it has none.
  let limit: CacheLimit?
  let cacheWork: CacheAdmin

  private init(
    _ options: MountOptions, client: HTTPClient, kernel: KernelLink, in world: World,
    preloader: Preloader, networkControl: NetworkControl, limit: CacheLimit?,
    feeds: [MountedFeed]
  ) {
    self.world = world
    self.kernel = kernel
    started = world.wall.seconds
    turning = AsyncQueue(world.tasks)
    self.networkControl = networkControl
    network = NetworkWatch { client.networkChanged() }
    self.options = options
    self.limit = limit
    self.client = client
    self.preloader = preloader
    places = Self.places(of: feeds)
    cacheWork = CacheAdmin(
      on: places.map { CacheAdmin.Member(feed: $0.feed, prefix: $0.prefix) },
      in: options.directories.cache, preloader: preloader, jobs: world.jobs("feedfs.cache"))
  }

  /// Locks the caches of the feeds and reads their snapshots. A feed that was never read is read
  /// over the network.
  ///
  /// A single feed that cannot be read is an error. Any of several feeds may be unreachable. A slow
  /// feed delays the mount only briefly.
  static func make(_ options: MountOptions, log: Logger) async throws(MountError) -> MountContext {
    let settings = options.settings
    do { try OwnDirectory.check(options.directories.state) } catch { throw MountError(error) }
    let choices = try FeedLists.fromFiles(options.feeds)
    let client: HTTPClient
    do {
      var network = settings.network.configuration(for: choices)
      if log.logLevel <= .debug { network.report = { log.debug("\($0)") } }
      client = try HTTPClient(network)
    } catch {
      throw MountError(any: error)
    }
    let kernel = KernelLink()
    let world = World.real(client, kernel: kernel)
    let preloader = Preloader(world.timekeeper("feedfs.preloader"))
    let limit = settings.cacheSize.bytes.map {
      CacheLimit(at: options.directories.cache, bytes: $0)
    }
    let networkControl = NetworkControl(options.mode, rate: settings.limitRate)
    if let limit = networkControl.rate.bytesPerSecond { await client.limit(to: limit) }
    if networkControl.mode != .online { await client.turn(isOpen: false) }
    let set = FeedSet(
      options, in: world, preloader: preloader, limit: limit, networkControl: networkControl,
      log: log)
    do throws(MountError) {
      let feeds = try await set.feeds(choices)
      return MountContext(
        options, client: client, kernel: kernel, in: world, preloader: preloader,
        networkControl: networkControl, limit: limit, feeds: feeds)
    } catch {
      client.shutDown()
      throw error
    }
  }

  var fileSystem: any ReadOnlyFileSystem {
    let status = GeneratedFiles.Document(
      inode: ReservedInode.status, name: "status.json", folder: .control, revision: nil
    ) { [self] in statusDocument() }
    let root = RootAttributes { [door] in door.withLockedValue { $0 }?.socket }
    if places.count == 1, places[0].folder.isEmpty {
      return tree(of: places[0], and: [status], root: root)
    }
    let folders = places.map {
      FeedSetFileSystem.Folder(
        name: $0.folder, space: $0.space, tree: tree(of: $0, and: [], root: nil))
    }
    return FeedSetFileSystem(
      folders, documents: generated([status]), root: root, started: started)
  }

  /// The options of the mount. With `allow_other` only root gets `auto_unmount`, because ordinary
  /// users cannot combine the two.
  var mountOptions: [String] {
    let hosts = places.map(\.feed.key.displayHost)
    // A comma would begin another option.
    let source = hosts.count == 1 ? hosts[0].replacing(",", with: "_") : "\(hosts.count) feeds"
    var all = [
      "fsname=feedfs#\(source)", "subtype=feedfs", "default_permissions", "nosuid",
      "nodev", "ro",
    ]
    if options.allowsOther { all.append("allow_other") }
    if !options.allowsOther || geteuid() == 0 { all.append("auto_unmount") }
    return all + options.mountOptions
  }

  /// Starts the feeds. The kernel sends requests from now on.
  ///
  /// - Parameter device: the minor number of the mounted device; nil if unknown.
  func begin(_ session: any KernelNotices, device: Int?) {
    kernel.attach(session)
    self.device.withLockedValue { $0 = device }
    for place in places { place.feed.begin() }
    network.begin()
  }

  /// Takes `door`. Commands send their requests through it from now on.
  func begin(_ door: ControlDoor) {
    self.door.withLockedValue { $0 = door }
  }

  var identity: MountIdentity {
    MountIdentity(
      version: Product.version, pid: Int(getpid()), mountPoint: options.mountPoint.string,
      device: device.withLockedValue { $0 })
  }

  /// True if the kernel reads complete files without the daemon.
  var passesThrough: Bool {
    kernel.passesThrough
  }

  /// Ends every waiting read with an error, and all preloading.
  func stopReaders() {
    preloader.end()
    for place in places { place.feed.stopReaders() }
  }

  /// Flushes and releases everything before it returns, also for concurrent callers.
  func end() {
    ending.lock()
    defer { ending.unlock() }
    network.end()
    stopReaders()
    client.shutDown()
    // The feeds end at the same time, because each one waits for the disk.
    DispatchQueue.concurrentPerform(iterations: places.count) { places[$0].feed.end() }
  }

  // MARK: Private

  private func tree(
    of place: Place, and documents: [GeneratedFiles.Document], root: RootAttributes?
  ) -> FeedFileSystem {
    let feed = place.feed
    let facts = EntryFacts(feed.live, in: place.space, prefix: place.prefix)
    return FeedFileSystem(
      feed.live, facts: facts, documents: generated(feed.documents + documents),
      sidecars: feed.sidecars, space: place.space, root: root, started: started
    ) { feed.opened($0, by: $1) }
  }

  private func generated(_ documents: [GeneratedFiles.Document]) -> GeneratedFiles {
    GeneratedFiles(documents, in: world) { [cacheWork] in cacheWork.place }
  }

  /// Returns the places of `feeds`; a single feed has the mount to itself.
  private static func places(of feeds: [MountedFeed]) -> [Place] {
    guard feeds.count > 1 else {
      return feeds.map { Place(feed: $0, folder: "") }
    }
    return zip(feeds, folderNames(of: feeds)).map { Place(feed: $0, folder: $1) }
  }

  /// Returns the folders' names. Existing names win over new ones, in whatever order the feeds
  /// come.
  private static func folderNames(of feeds: [MountedFeed]) -> [String] {
    var names: [String?] = feeds.map { _ in nil }
    var taken: Set<String> = []
    for hasName in [true, false] {
      for (index, feed) in feeds.enumerated() where names[index] == nil {
        guard feed.hasFolderName || !hasName else { continue }
        let name = feed.takeFolderName(besides: taken)
        taken.insert(name)
        names[index] = name
      }
    }
    return names.compactMap(\.self)
  }
}

extension MountContext.Place {
  /// The prefix of its files' names in the mount.
  var prefix: String { folder.isEmpty ? "" : folder + "/" }
}
