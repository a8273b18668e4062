import Catalog
import FeedReading
import Host
import Logging
import Storage
import SystemPackage

/// A feed whose cache and snapshot this process has locked.
struct OpenedFeed: Sendable {
  /// The number of tries to lock a cache whose daemon may be shutting down. They are 50 ms apart.
  private static let patience = 40

  let choice: FeedChoice
  let key: FeedKey
  /// The directory of its state.
  let directory: FilePath
  let cache: CacheDirectory
  let snapshot: SnapshotFile

  /// Locks the cache and the snapshot; sends no request.
  ///
  /// - Parameter waits: whether to wait for a daemon that still has the cache. Such a daemon may be
  ///   shutting down.
  init(
    _ choice: FeedChoice, with needs: FeedNeeds, waits: Bool
  ) async throws(MountError) {
    let key: FeedKey
    do { key = try FeedKey(choice.address) } catch { throw MountError(error) }
    self.choice = choice
    self.key = key
    directory = needs.directories.state(of: choice)
    snapshot = Self.snapshot(of: choice, with: needs)
    cache = try await Self.lock(
      key, snapshot, with: needs, attempts: waits ? Self.patience : 0)
  }

  /// Returns the snapshot of a feed, which may be locked or not.
  static func snapshot(of choice: FeedChoice, with needs: FeedNeeds) -> SnapshotFile {
    SnapshotFile(
      in: needs.directories.state(of: choice), name: "catalog.json", on: needs.world.disk)
  }

  /// Reads the catalog, and gives it the names and the rules that the user wants.
  func catalog(with needs: FeedNeeds) throws -> Catalog {
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
    catalog.take(choice.rules, at: needs.world.wall.seconds)
    do throws(StorageError) {
      let naming = NamingFile(in: directory, on: needs.world.disk)
      try naming.name(&catalog, as: choice.names, savedTo: snapshot)
    } catch {
      needs.log.warning("the files keep their names", metadata: ["why": "\(error)"])
    }
    return catalog
  }

  /// Unlocks the cache and the snapshot.
  func close() {
    cache.close()
    snapshot.release()
  }

  private static func lock(
    _ key: FeedKey, _ snapshot: SnapshotFile, with needs: FeedNeeds, attempts: Int
  ) async throws(MountError) -> CacheDirectory {
    var left = attempts
    while true {
      do throws(StorageError) {
        let cache = try CacheDirectory(
          at: needs.directories.cache, feedKey: key.value, minFree: needs.settings.minFree,
          limit: needs.limit, on: needs.world.disk)
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
        try? await needs.world.tasks.sleep(for: .milliseconds(50))
      }
    }
  }
}
