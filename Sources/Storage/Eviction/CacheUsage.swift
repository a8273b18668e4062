/// The size of the cache against its limit (`--cache-size`), in bytes.
///
/// Between two counts of the disk, granted bytes are added. A reserve below the limit is kept free,
/// so that a mount finds room while an eviction runs. Other mounts write to the cache, too. So the
/// disk is counted again when half of the reserve was granted.
struct CacheUsage: Sendable {
  let limit: Int
  /// The bytes at the last count; nil before the first count.
  private var stored: Int?
  /// The bytes granted since the last count.
  private var granted = 0

  init(limit: Int) {
    self.limit = limit
  }

  var isCounted: Bool { stored != nil }

  /// Notes a count of the disk.
  mutating func counted(_ bytes: Int) {
    stored = bytes
    granted = 0
  }

  /// Returns whether `bytes` more fit within the limit, and counts them if so.
  mutating func grant(_ bytes: Int) -> Bool {
    guard stored != nil, used + bytes <= limit else { return false }
    granted += bytes
    return true
  }

  /// Returns whether `bytes` more fit within the limit and half of the reserve above it, and counts
  /// them if so. This is for bytes without which others are of no use. Later evictions make up for
  /// them.
  mutating func grantNeeded(_ bytes: Int) -> Bool {
    guard stored != nil, used + bytes <= limit + reserve / 2 else { return false }
    granted += bytes
    return true
  }

  /// True when the disk should be counted again.
  var isStale: Bool { granted >= reserve / 2 }

  /// True when bytes should be evicted.
  var isTight: Bool { limit - used < reserve / 2 }

  /// Bytes to evict until the reserve is free again.
  var excess: Int { max(0, used + reserve - limit) }

  /// The bytes that the cache takes up. The value has a meaning only after the first count.
  var used: Int { (stored ?? 0) + granted }

  private var reserve: Int {
    min(max(limit / 20, 64 << 20), limit / 4)
  }
}

/// Whether the cache takes more bytes.
package enum Room: Hashable, Sendable {
  case enough
  /// The disk would have less free space than it must (`FreeSpaceRule`).
  case diskIsFull
  /// The cache is at its limit, and nothing could be evicted yet.
  case cacheIsFull
}
