import Catalog
import FeedReading
import Host
import Logging
import Storage
import SystemPackage
import World

/// A feed that the user has chosen, with its locked cache and snapshot.
struct OpenedFeed: Sendable {
  let choice: FeedChoice
  let key: FeedKey
  /// The directory of the feed's catalog and other state.
  let directory: FilePath
  private let locked: LockedFeed

  /// Locks the cache and the snapshot, and reads the catalog; sends no request.
  ///
  /// - Parameter waits: whether to wait for a daemon that still has the cache. Such a daemon can be
  ///   shutting down.
  init(
    _ choice: FeedChoice, with needs: FeedNeeds, waits: Bool
  ) async throws(CommandError) {
    let key: FeedKey
    do { key = try FeedKey(choice.address) } catch { throw CommandError(error) }
    self.choice = choice
    self.key = key
    directory = needs.directories.state(of: choice)
    locked = try await LockedFeed(
      key, in: needs.directories, minFree: needs.settings.minFree, limit: needs.limit,
      on: needs.world.disk, tasks: needs.world.tasks, waits: waits)
  }

  var cache: CacheDirectory { locked.cache }
  var snapshot: SnapshotFile { locked.snapshot }

  /// Returns the catalog with the names and the rules that the user wants.
  func catalog(with needs: FeedNeeds) -> Catalog {
    var catalog = locked.catalog ?? Catalog(feed: key)
    catalog.move.subscribed(to: choice.moved)
    catalog.take(choice.rules, at: needs.world.wall.seconds)
    do throws(StorageError) {
      try locked.name(&catalog, as: choice.names)
    } catch {
      needs.log.warning(
        "the files keep their names, since the new ones could not be saved",
        metadata: ["why": "\(error)"])
    }
    return catalog
  }
}
