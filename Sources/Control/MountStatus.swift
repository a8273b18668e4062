/// What a mount says about itself: `.feedfs/status.json`, and what `feedfs status --json` prints.
///
/// No text in it holds a secret: addresses come without userinfo, query and fragment.
package struct MountStatus: Hashable, Codable, Sendable {
  /// Grows when a field changes its meaning or goes; new fields may come without.
  package static let currentSchema = 1

  package var schema = Self.currentSchema
  package var version: String
  package var pid: Int
  package var mountPoint: String
  package var feed: FeedStatus
  package var cache: CacheStatus
  package var files: [FileStatus]
  package var origins: [OriginStatus]

  package init(
    version: String, pid: Int, mountPoint: String, feed: FeedStatus, cache: CacheStatus,
    files: [FileStatus], origins: [OriginStatus]
  ) {
    self.version = version
    self.pid = pid
    self.mountPoint = mountPoint
    self.feed = feed
    self.cache = cache
    self.files = files
    self.origins = origins
  }
}

/// The feed of a mount.
package struct FeedStatus: Hashable, Codable, Sendable {
  package var title: String
  package var address: String
  /// When its page was last read or confirmed, in seconds since 1970; null: never.
  package var refreshed: Int?
  /// Why the last refresh failed; null: it did not.
  package var error: String?

  package init(title: String, address: String, refreshed: Int?, error: String?) {
    self.title = title
    self.address = address
    self.refreshed = refreshed
    self.error = error
  }
}

/// The cache of a mount.
package struct CacheStatus: Hashable, Codable, Sendable {
  package var path: String
  /// Bytes of this feed that are kept.
  package var bytes: Int
  /// Why nothing is being kept at the moment; null: it is.
  package var problem: String?

  package init(path: String, bytes: Int, problem: String?) {
    self.path = path
    self.bytes = bytes
    self.problem = problem
  }
}

/// One file of a mount.
package struct FileStatus: Hashable, Codable, Sendable {
  package enum State: String, Hashable, Codable, Sendable {
    /// Every byte is in the cache.
    case complete
    /// Bytes are on their way.
    case filling
    /// A reader waits, and nothing is on its way.
    case waiting
    /// Some bytes are in the cache.
    case partial
    /// No byte is in the cache.
    case empty
  }

  package var name: String
  package var title: String
  /// Bytes, as proved, else as the feed claims; null: unknown.
  package var size: Int?
  /// Bytes in the cache.
  package var cached: Int
  package var state: State

  package init(name: String, title: String, size: Int?, cached: Int, state: State) {
    self.name = name
    self.title = title
    self.size = size
    self.cached = cached
    self.state = state
  }
}

/// One scheme, host and port that was asked.
package struct OriginStatus: Hashable, Codable, Sendable {
  package var origin: String
  /// In words: "reachable", "unreachable: connection refused, next probe in 2 s".
  package var state: String
  package var lastError: String?
  package var requests: Int
  package var bytes: Int

  package init(origin: String, state: String, lastError: String?, requests: Int, bytes: Int) {
    self.origin = origin
    self.state = state
    self.lastError = lastError
    self.requests = requests
    self.bytes = bytes
  }
}
