/// The status of one file of a mount.
package struct FileStatus: Hashable, Codable, Sendable {
  package enum State: String, Hashable, Codable, Sendable {
    /// Every byte of the file is in the cache.
    case complete
    /// Bytes of the file are on their way.
    case filling
    /// A reader waits, and no bytes of the file arrive.
    case waiting
    /// Some bytes of the file are in the cache.
    case partial
    /// No byte of the file is in the cache.
    case empty
  }

  package var name: String
  package var title: String
  /// The file's size in bytes, as proved, or else as the feed claims; null if unknown.
  package var size: Int?
  /// The number of the file's bytes that are in the cache.
  package var cached: Int
  package var state: State
  /// True when the feed does not have the entry any more. The file leaves the mount when it is not
  /// needed any more.
  package var removed = false
  /// True when the file is pinned: it is never evicted, even if the cache is over its limit.
  package var pinned = false
  /// True when the user's `keep` includes the file, so that it is fetched automatically; null
  /// otherwise.
  package var kept: Bool?
  /// The number of times that the file is open.
  package var open = 0
  /// The duration of the media in seconds, as the feed says; null if unknown.
  package var duration: Double?

  /// How far the user is with the file: new, started or played.
  package var mark = "new"

  // Each of the following fields is null if it does not apply to the file.

  /// If the length of the file is not known, the limit of its size in bytes; null for any other
  /// file. The `size` of such a file counts the bytes that have come so far.
  package var growthLimit: Int?
  /// The cached ranges of the file, 256 at most. If there are more, the smallest gaps between them
  /// are left out.
  package var extents: [Extent]?
  /// The readers of the file, in the order of their positions. Readers whose reads the kernel
  /// answers by itself are left out.
  package var readers: [ReaderStatus]?
  package var fetches: [FetchStatus]?
  /// The bytes of the file that arrive now, for each second.
  package var speed: Int?
  /// The number of reads that wait for bytes.
  package var waiting: Int?
  /// The host for which reads wait, and its port if that is not the usual one.
  package var host: String?
  /// The reason why reads wait.
  package var reason: String?
  /// Seconds until the host is asked again.
  package var retryIn: Double?
  /// The last failure to fetch the file, until bytes arrive again.
  package var failure: FailureStatus?

  package init(name: String, title: String, size: Int?, cached: Int, state: State) {
    self.name = name
    self.title = title
    self.size = size
    self.cached = cached
    self.state = state
  }

  /// True if there is more to report about the file than that it is listed.
  package var isOfInterest: Bool {
    cached > 0 || open > 0 || pinned || kept == true || removed || failure != nil
      || state == .filling || state == .waiting
  }
}

/// A range of consecutive bytes of a file.
package struct Extent: Hashable, Codable, Sendable {
  package var from: Int
  /// The place after the last byte of the range.
  package var until: Int

  package init(from: Int, until: Int) {
    self.from = from
    self.until = until
  }
}

/// A reader of a file.
package struct ReaderStatus: Hashable, Codable, Sendable {
  /// The place at which the reader's next read begins, in bytes.
  package var position: Int
  /// The number of cached bytes from `position` on.
  package var ahead: Int
  /// The seconds for which the bytes of `ahead` play; null if unknown.
  package var seconds: Double?

  package init(position: Int, ahead: Int, seconds: Double?) {
    self.position = position
    self.ahead = ahead
    self.seconds = seconds
  }
}

/// A fetch: the bytes that were requested, and how far they have arrived.
package struct FetchStatus: Hashable, Codable, Sendable {
  package var from: Int
  /// The place after the last requested byte.
  package var until: Int
  /// The place after the last byte that has arrived until now.
  package var position: Int

  package init(from: Int, until: Int, position: Int) {
    self.from = from
    self.until = until
    self.position = position
  }
}

/// The last failure to fetch a file.
package struct FailureStatus: Hashable, Codable, Sendable {
  package var what: String
  /// The time of the failure, in seconds since 1970.
  package var at: Int
  /// Seconds for which the failure prevents requests for the file; null if the next read causes a
  /// new request.
  package var retryIn: Double?
  /// True if a further request in the near future would be of no use.
  package var isHopeless: Bool

  package init(what: String, at: Int, retryIn: Double?, isHopeless: Bool = false) {
    self.what = what
    self.at = at
    self.retryIn = retryIn
    self.isHopeless = isHopeless
  }
}
