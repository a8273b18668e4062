/// The size of the cache in bytes, compared with its limit (`--cache-size`).
///
/// Between two counts of the files on the disk, each granted byte is added to the size. A reserve
/// below the limit is kept free, so that a mount can write while an eviction runs. Other mounts
/// write to the cache, too. So the files are counted again when half of the reserve was granted.
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

  /// Notes that a count of the files found `bytes`.
  mutating func counted(_ bytes: Int) {
    stored = bytes
    granted = 0
  }

  /// Returns whether `bytes` more fit within the limit. If so, counts them as used.
  mutating func grant(_ bytes: Int) -> Bool {
    guard stored != nil, used + bytes <= limit else { return false }
    granted += bytes
    return true
  }

  /// Returns whether the size stays below the limit plus half of the reserve with `bytes` more. If
  /// so, counts them as used. This is for bytes without which other cached bytes are of no use.
  /// Later evictions bring the cache below the limit again.
  mutating func grantNeeded(_ bytes: Int) -> Bool {
    guard stored != nil, used + bytes <= limit + reserve / 2 else { return false }
    granted += bytes
    return true
  }

  /// True when the files on the disk should be counted again.
  var isStale: Bool { granted >= reserve / 2 }

  /// True when bytes should be evicted.
  var isTight: Bool { limit - used < reserve / 2 }

  /// The number of bytes to evict so that the reserve is free again.
  var excess: Int { max(0, used + reserve - limit) }

  /// The bytes that the cache takes up. The value has a meaning only after the first count.
  var used: Int { (stored ?? 0) + granted }

  private var reserve: Int {
    min(max(limit / 20, 64 << 20), limit / 4)
  }
}

/// The answer to whether more bytes are allowed to be written to the cache.
package enum Room: Hashable, Sendable {
  case enough
  /// After the write the disk would have less free space than it must have (`FreeSpaceRule`).
  case diskIsFull
  /// The cache is at its limit, and nothing could be evicted yet.
  case cacheIsFull
}
