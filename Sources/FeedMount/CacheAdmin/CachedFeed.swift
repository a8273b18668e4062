import Blocks
import Catalog
import Storage
import SystemPackage
import World

/// A feed as cache commands need it, mounted or not. Its functions can block on the disk.
protocol CachedFeed: AnyObject, Sendable {
  var cache: CacheDirectory { get }
  var catalog: Catalog { get }
  /// The directory of the feed's catalog and other state.
  var directory: FilePath { get }
  var wall: WallClock { get }

  /// Returns the number of bytes of the current version of `entry` on disk.
  func cachedBytes(of entry: CatalogEntry) -> Int
  /// Returns the name of the files of the current version of `entry`; nil if no version is known.
  func name(of entry: CatalogEntry) -> String?
  /// Whether the user's `keep` wants the entry in the cache.
  func keeps(_ number: Int) -> Bool

  /// Compares about `bytes` bytes of the version called `name` with their checksums, from `start`
  /// on. Blocks that do not match count as absent from then on.
  func check(_ name: String, from start: BlockIndex, bytes: Int) -> CheckedBlocks?
  /// Pins or unpins the entries with these numbers, and saves the pins. Returns false if the pins
  /// cannot be saved.
  func pin(_ isPinned: Bool, _ numbers: [Int]) -> Bool
  /// Clears the cached bytes of an entry, so that `keep` does not fetch it again. Returns how many
  /// of the bytes were on the disk.
  func clear(_ number: Int) -> Int
  /// Removes the version called `name` from the cache unless it is open. Returns how many bytes
  /// this frees.
  func remove(_ name: String) -> Int
  /// Notes that less is cached of the entry than before.
  func forgot(_ entry: CatalogEntry)
}

extension CachedFeed {
  /// Whether all of `entry` is to stay in the cache, because it is pinned or kept.
  func isWanted(_ entry: CatalogEntry) -> Bool {
    entry.isPinned || keeps(entry.number)
  }
}

extension MountedFeed: CachedFeed {
  var catalog: Catalog { live.catalog }
  var wall: WallClock { world.wall }

  func cachedBytes(of entry: CatalogEntry) -> Int { live.bytesOnDisk(of: entry) }

  func name(of entry: CatalogEntry) -> String? { live.name(of: entry) }

  func keeps(_ number: Int) -> Bool { live.isKept(number) }

  func check(_ name: String, from start: BlockIndex, bytes: Int) -> CheckedBlocks? {
    live.check(name, from: start, bytes: bytes)
  }

  func pin(_ isPinned: Bool, _ numbers: [Int]) -> Bool {
    let isTaken = live.pin(isPinned, numbers)
    return saver.save() && isTaken
  }

  func clear(_ number: Int) -> Int {
    keeper.clears(number)
    return live.clear(number)
  }

  func remove(_ name: String) -> Int { live.remove(name) }

  func forgot(_ entry: CatalogEntry) { live.forgot(entry.inode) }
}
