import Catalog
import FeedReading
import Host
import Storage
import SystemPackage
import World

/// The cache and the catalog of a feed, locked for this process.
struct LockedFeed: Sendable {
  let cache: CacheDirectory
  let snapshot: SnapshotFile
  /// The catalog that was saved last; nil if the feed was never read.
  let catalog: Catalog?

  /// Locks the cache and the snapshot, and reads the catalog. Sends no request.
  ///
  /// - Parameters:
  ///   - waits: whether to wait for a daemon that still has the cache. Such a daemon can be
  ///     shutting down.
  init(
    _ key: FeedKey, in directories: MountDirectories, minFree: FreeSpaceRule,
    limit: CacheLimit? = nil, on disk: Disk, tasks: Tasks, waits: Bool
  ) async throws(CommandError) {
    snapshot = Self.snapshot(of: FeedChoice(key.value), in: directories, on: disk)
    cache = try await Self.lock(
      key, in: directories.cache, minFree, limit, snapshot, on: disk, tasks,
      attempts: waits ? Self.maxAttempts : 0)
    do throws(CommandError) {
      catalog = try Self.catalog(of: key, in: snapshot)
    } catch {
      cache.close()
      snapshot.release()
      throw error
    }
  }

  /// Returns the snapshot file of a feed's catalog.
  static func snapshot(
    of choice: FeedChoice, in directories: MountDirectories, on disk: Disk
  ) -> SnapshotFile {
    SnapshotFile(in: directories.state(of: choice), name: "catalog.json", on: disk)
  }

  /// Names the files of the catalog in the way that the user wants; nil keeps their names. Saves
  /// new names before it changes `catalog`.
  ///
  /// - Throws: if the new names cannot be saved. Then the files keep their names.
  func name(_ catalog: inout Catalog, as wanted: FileNaming?) throws(StorageError) {
    guard let wanted else { return }
    var named = catalog
    if named.call(by: wanted) { try snapshot.write(named) }
    catalog = named
  }

  // MARK: Private

  /// The number of tries to lock a cache whose daemon can be shutting down. They are 50 ms apart.
  private static let maxAttempts = 40

  private static func catalog(
    of key: FeedKey, in snapshot: SnapshotFile
  ) throws(CommandError) -> Catalog? {
    var newer: CatalogError?
    do {
      let known = try snapshot.read(inPiecesOf: 256 << 10) { next in
        do throws(CatalogError) {
          return try Catalog(reading: next)
        } catch {
          switch error {
          case .olderFormat: throw OtherFormat.older
          case .newerFormat:
            newer = error
            throw OtherFormat.newer
          case .damaged: throw error
          }
        }
      }
      guard let newer else { return known }
      throw CommandError(.configuration, "\(key.shown): \(newer)")
    } catch {
      throw error as? CommandError ?? CommandError(any: error)
    }
  }

  private static func lock(
    _ key: FeedKey, in root: FilePath, _ minFree: FreeSpaceRule, _ limit: CacheLimit?,
    _ snapshot: SnapshotFile, on disk: Disk, _ tasks: Tasks, attempts: Int
  ) async throws(CommandError) -> CacheDirectory {
    var left = attempts
    while true {
      do throws(StorageError) {
        let cache = try CacheDirectory(
          at: root, feedKey: key.value, minFree: minFree, limit: limit, on: disk)
        do throws(StorageError) {
          try snapshot.hold()
        } catch {
          cache.close()
          throw error
        }
        return cache
      } catch {
        guard case .inUse = error, left > 0 else { throw CommandError(error) }
        // The process tries again and again, because a wait for the lock itself has no time limit.
        // A daemon that shuts down needs only the time of a flush.
        left -= 1
        try? await tasks.sleep(for: .milliseconds(50))
      }
    }
  }
}

extension SnapshotFile {
  /// Saves a catalog, piece by piece.
  func write(_ catalog: Catalog) throws(StorageError) {
    let pieces = catalog.snapshot
    try write(pieces: pieces.count) { pieces[$0] }
  }
}
