import Blocks
package import Control
import Catalog
import FeedReading
import FoundationEssentials
package import Host
import Locks
package import Storage
package import SystemPackage
import World

/// The caches of feeds that are not mounted. They stay locked until `end`, so that no process can
/// mount their feeds meanwhile. Nothing of these feeds is fetched.
///
/// Safe from any thread.
package final class UnmountedCaches: Sendable {
  /// The reasons why some caches could not be locked.
  package let failures: [CommandError]
  private let feeds: [UnmountedFeed]
  private let work: CacheAdmin
  private let isHeld = Locked(true)

  /// Locks the caches in `directories` of all feeds whose catalog is there too.
  ///
  /// - Parameters:
  ///   - served: the directory names of the caches that mounts use.
  ///   - waits: whether to wait for a daemon that still has a cache. Such a daemon can be shutting
  ///     down.
  ///   - hears: called with each file whose format is older or newer than this program's.
  package init(
    in directories: MountDirectories, besides served: Set<String>, waits: Bool,
    hears: @escaping @Sendable (OtherFormat, FilePath) -> Void = { _, _ in }
  ) async throws(CommandError) {
    var keys: [FeedKey] = []
    if try Self.isThere(directories.cache), try Self.isThere(directories.state) {
      keys = Self.keys(in: directories, besides: served)
    }
    let disk = Disk.real.telling(hears)
    var feeds: [UnmountedFeed] = []
    var failures: [CommandError] = []
    for key in keys {
      do throws(CommandError) {
        // After one cache could not be locked, the others are tried without a wait, because the
        // same daemon can have them all.
        feeds.append(
          try await Self.feed(key, in: directories, on: disk, waits: waits && failures.isEmpty))
      } catch {
        failures.append(error)
      }
    }
    self.failures = failures
    self.feeds = feeds
    let members = Self.members(feeds)
    work = CacheAdmin(
      on: { members }, in: directories.cache, stateOfAll: [directories.state], preloader: nil,
      jobs: DispatchJobs("feedfs.cache"))
  }

  /// Returns the answer that a mount of these feeds would give.
  package func answer(_ request: CacheRequest) async -> ControlAnswer {
    await work.answer(request)
  }

  /// Unlocks the caches; returns whether they were locked until now.
  @discardableResult
  package func end() -> Bool {
    let wasHeld = isHeld.withLock { isHeld in
      defer { isHeld = false }
      return isHeld
    }
    guard wasHeld else { return false }
    for feed in feeds { feed.end() }
    return true
  }

  private static func isThere(_ directory: FilePath) throws(CommandError) -> Bool {
    do throws(StorageError) {
      return try OwnDirectory.isThere(directory)
    } catch {
      guard case .unwritable(let path, .permissionDenied) = error else { throw CommandError(error) }
      throw CommandError(
        .permission, "you may not read \(path); name a cache of your own with --cache-dir")
    }
  }

  /// Returns the keys of the feeds that have a catalog and a cache.
  private static func keys(
    in directories: MountDirectories, besides served: Set<String>
  ) -> [FeedKey] {
    let files = FileManager.default
    let names = (try? files.contentsOfDirectory(atPath: directories.state.string)) ?? []
    return names.sorted().compactMap { name in
      guard !served.contains(name),
        files.fileExists(atPath: directories.cache.appending(name).string)
      else { return nil }
      let snapshot = SnapshotFile(in: directories.state.appending(name), name: "catalog.json")
      let catalog = try? snapshot.read { try Catalog(decoding: $0) }
      guard let key = catalog?.feed, Fingerprint(of: key.value).description == name else {
        return nil
      }
      return key
    }
  }

  private static func feed(
    _ key: FeedKey, in directories: MountDirectories, on disk: Disk, waits: Bool
  ) async throws(CommandError) -> UnmountedFeed {
    let locked = try await LockedFeed(
      key, in: directories, minFree: MountSettings().minFree, on: disk, tasks: .real,
      waits: waits)
    return UnmountedFeed(
      key, locked, stateIn: directories.state(of: FeedChoice(key.value)), on: disk, wall: .real)
  }

  /// Returns the members, each with its feed's folder as prefix. So a file name without a folder
  /// never names a file of an unmounted feed.
  private static func members(_ feeds: [UnmountedFeed]) -> [CacheAdmin.Member] {
    var taken: Set<String> = []
    return feeds.map { feed in
      let name = feed.folderName(besides: taken)
      taken.insert(name)
      return CacheAdmin.Member(unmounted: feed, prefix: name + "/")
    }
  }
}
