import Blocks
package import Control
import Catalog
import FeedReading
import FoundationEssentials
import HTTP
package import Host
import Logging
import NIOConcurrencyHelpers
import Quantities
import Storage
import SystemPackage

/// The caches of feeds that are not mounted. They stay locked until `end`, so that no process can
/// mount them meanwhile.
///
/// Safe from any thread.
package final class UnmountedCaches: Sendable {
  /// The reasons why some caches could not be locked.
  package let failures: [MountError]
  private let client: HTTPClient
  private let work: CacheAdmin
  private let isHeld = NIOLockedValueBox(true)

  /// Locks the caches in `directories` whose feeds are known there.
  ///
  /// - Parameters:
  ///   - served: the folder names of the caches that mounts have.
  ///   - waits: whether to wait for a daemon that still has a cache. Such a daemon may be shutting
  ///     down.
  package init(
    in directories: MountDirectories, besides served: Set<String>, waits: Bool
  ) async throws(MountError) {
    var choices: [FeedChoice] = []
    if try Self.isThere(directories.cache), try Self.isThere(directories.state) {
      choices = Self.choices(directories.cache, directories.state, besides: served)
    }
    let settings = MountSettings()
    do { client = try HTTPClient(settings.network.configuration(for: [])) } catch {
      throw MountError(any: error)
    }
    let log = Logger(label: "feedfs") { _ in SwiftLogNoOpLogHandler() }
    let world = World.real(client, kernel: KernelLink())
    let clock = world.timekeeper("feedfs.preloader")
    let needs = FeedNeeds(
      directories: directories, settings: settings, world: world, preloader: Preloader(clock),
      networkControl: NetworkControl(.offline, rate: .unlimited, clock: clock), log: log)
    var feeds: [MountedFeed] = []
    var failures: [MountError] = []
    for choice in choices {
      do throws(MountError) {
        feeds.append(
          try await MountedFeed.make(
            choice, at: .whole, with: needs,
            // One wait is enough, however many caches the daemon has.
            waits: waits && failures.isEmpty))
      } catch {
        failures.append(error)
      }
    }
    self.failures = failures
    let members = Self.members(feeds)
    work = CacheAdmin(
      on: { members }, in: directories.cache, preloader: nil,
      jobs: world.jobs("feedfs.cache"))
  }

  /// Returns the answer that a mount of these feeds would give.
  package func answer(_ request: CacheRequest) async -> ControlAnswer {
    await work.answer(request)
  }

  /// Unlocks the caches; returns whether they were locked until now.
  @discardableResult
  package func end() -> Bool {
    let wasHeld = isHeld.withLockedValue { isHeld in
      defer { isHeld = false }
      return isHeld
    }
    guard wasHeld else { return false }
    for member in work.members { member.feed.end() }
    client.shutDown()
    return true
  }

  private static func isThere(_ directory: FilePath) throws(MountError) -> Bool {
    do throws(StorageError) {
      return try OwnDirectory.isThere(directory)
    } catch {
      guard case .unwritable(let path, .permissionDenied) = error else { throw MountError(error) }
      throw MountError(.permission, "\(path) is not yours to read; name a cache of your own")
    }
  }

  private static func exists(_ path: FilePath) -> Bool {
    FileManager.default.fileExists(atPath: path.string)
  }

  private static func choices(
    _ cache: FilePath, _ state: FilePath, besides served: Set<String>
  ) -> [FeedChoice] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: state.string)) ?? []
    return names.sorted().compactMap { name in
      let snapshot = SnapshotFile(in: state.appending(name), name: "catalog.json")
      let catalog = try? snapshot.read { try Catalog(decoding: $0) }
      guard let key = catalog?.feed.value else { return nil }
      let folder = Fingerprint(of: key).description
      guard !served.contains(folder), exists(cache.appending(folder)) else { return nil }
      var choice = FeedChoice(key)
      // Kept entries stay kept: they are not evicted, and a cleared one does not come again.
      choice.keep = Keeper.lastRule(SnapshotFile(in: state.appending(name), name: "kept"))
      return choice
    }
  }

  /// Returns the members, each with its feed's folder as prefix. A name without a folder can only
  /// mean a file of a mount.
  private static func members(_ feeds: [MountedFeed]) -> [CacheAdmin.Member] {
    var taken: Set<String> = []
    return feeds.map { feed in
      let name = feed.folderName(nil, besides: taken)
      taken.insert(name)
      return CacheAdmin.Member(feed: feed, prefix: name + "/")
    }
  }
}
