/// One file of a mount.
package struct FileStatus: Hashable, Codable, Sendable {
  package enum State: String, Hashable, Codable, Sendable {
    /// Every byte is in the cache.
    case complete
    /// Bytes are on their way.
    case filling
    /// A reader waits, and no bytes arrive.
    case waiting
    /// Some bytes are in the cache.
    case partial
    /// No byte is in the cache.
    case empty
  }

  package var name: String
  package var title: String
  /// Size in bytes, as proved, or else as the feed claims; null if unknown.
  package var size: Int?
  /// Bytes in the cache.
  package var cached: Int
  package var state: State
  /// True when the feed has dropped it. The file leaves the mount when it is not needed any more.
  package var removed = false
  /// True when it is never evicted, even if the cache is over its limit.
  package var pinned = false
  /// True when the user's `keep` names it, so that it is fetched automatically; null otherwise.
  package var kept: Bool?
  /// The number of times that it is open.
  package var open = 0
  /// The duration in seconds, as the feed says; null if unknown.
  package var duration: Double?

  /// How far the user is with it: new, started or played.
  package var mark = "new"

  // The following fields are null if they do not apply.

  /// The limit in bytes for a file whose length is not known; null for any other file. The `size`
  /// of such a file counts the bytes that have come so far.
  package var growthLimit: Int?
  /// The cached ranges, 256 at most. If there are more, the smallest gaps are left out.
  package var extents: [Extent]?
  /// The readers by position. Readers whose reads the kernel answers by itself are left out.
  package var readers: [ReaderStatus]?
  package var fetches: [FetchStatus]?
  /// Bytes a second that arrive now.
  package var speed: Int?
  /// The number of waiting reads.
  package var waiting: Int?
  /// The host for which the reads wait, and its port if it is not the usual one.
  package var host: String?
  /// The reason for the wait.
  package var reason: String?
  /// Seconds until the next try.
  package var retryIn: Double?
  /// The last failure, until bytes arrive again.
  package var failure: FailureStatus?

  package init(name: String, title: String, size: Int?, cached: Int, state: State) {
    self.name = name
    self.title = title
    self.size = size
    self.cached = cached
    self.state = state
  }

  /// True if the file has anything to report, besides that it is listed.
  package var isOfInterest: Bool {
    cached > 0 || open > 0 || pinned || kept == true || removed || failure != nil
      || state == .filling || state == .waiting
  }
}

/// Consecutive bytes of a file.
package struct Extent: Hashable, Codable, Sendable {
  package var from: Int
  /// The place after the last byte.
  package var until: Int

  package init(from: Int, until: Int) {
    self.from = from
    self.until = until
  }
}

/// A reader of a file.
package struct ReaderStatus: Hashable, Codable, Sendable {
  /// The place of its next read.
  package var position: Int
  /// Cached bytes from there on.
  package var ahead: Int
  /// The seconds for which those bytes play; null if unknown.
  package var seconds: Double?

  package init(position: Int, ahead: Int, seconds: Double?) {
    self.position = position
    self.ahead = ahead
    self.seconds = seconds
  }
}

/// Requested bytes that are on their way.
package struct FetchStatus: Hashable, Codable, Sendable {
  package var from: Int
  /// The place after the last byte.
  package var until: Int
  /// The place after the last byte that has arrived.
  package var position: Int

  package init(from: Int, until: Int, position: Int) {
    self.from = from
    self.until = until
    self.position = position
  }
}

/// The last failure of a file.
package struct FailureStatus: Hashable, Codable, Sendable {
  package var what: String
  /// The time of the failure, in seconds since 1970.
  package var at: Int
  /// Seconds for which the failure prevents requests; null if the next read asks again.
  package var retryIn: Double?
  /// True if another request soon would be of no use.
  package var isHopeless: Bool

  package init(what: String, at: Int, retryIn: Double?, isHopeless: Bool = false) {
    self.what = what
    self.at = at
    self.retryIn = retryIn
    self.isHopeless = isHopeless
  }
}
