/// How much the cache takes up, against how much it may (`--cache-size`), in bytes.
///
/// Between two counts of the disk what is granted is added. Some room is kept free in advance, so that
/// who writes seldom finds none while something goes for it. As others write there too, it is counted
/// anew when half of that was granted.
struct CacheUsage: Sendable {
  let limit: Int
  /// At the last count; nil: there was none yet.
  private var stored: Int?
  /// Since then.
  private var granted = 0

  init(limit: Int) {
    self.limit = limit
  }

  var isCounted: Bool { stored != nil }

  /// The disk was looked at.
  mutating func counted(_ bytes: Int) {
    stored = bytes
    granted = 0
  }

  /// Whether `bytes` more may be written; if so they are counted.
  mutating func grant(_ bytes: Int) -> Bool {
    guard stored != nil, used + bytes <= limit else { return false }
    granted += bytes
    return true
  }

  /// Whether it should be counted anew.
  var isStale: Bool { granted >= reserve / 2 }

  /// Whether something should go.
  var isTight: Bool { limit - used < reserve / 2 }

  /// Bytes that are to go for the reserve to be free again.
  var excess: Int { max(0, used + reserve - limit) }

  /// Bytes that it takes up; right once it was counted.
  var used: Int { (stored ?? 0) + granted }

  private var reserve: Int {
    min(max(limit / 20, 64 << 20), limit / 4)
  }
}

/// Whether more may be written into the cache.
package enum Room: Hashable, Sendable {
  case enough
  /// As much is free on its disk as has to stay so.
  case diskIsFull
  /// It takes up what it may, and nothing could go yet.
  case cacheIsFull
}
