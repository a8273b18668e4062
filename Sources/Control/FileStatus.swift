/// One file of a mount.
package struct FileStatus: Hashable, Codable, Sendable {
  package enum State: String, Hashable, Codable, Sendable {
    /// Every byte is in the cache.
    case complete
    /// Bytes are on their way.
    case filling
    /// A reader waits, and nothing comes.
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
  /// The feed has dropped it: it goes when nobody needs it any more.
  package var removed = false
  /// It is kept, whatever the limit of the cache says.
  package var pinned = false
  /// How often it is open.
  package var open = 0
  /// Seconds that it plays, as the feed says; null: unknown.
  package var duration: Double?

  // What follows is null where there is nothing to tell.

  /// Where the bytes in the cache lie: 256 stretches at most, then with the smallest gaps passed over.
  package var stretches: [Stretch]?
  /// By position; those whose reads the kernel answers by itself are not seen.
  package var readers: [ReaderStatus]?
  package var fetches: [FetchStatus]?
  /// Bytes a second that come.
  package var speed: Int?
  /// Reads that wait.
  package var waiting: Int?
  /// Whom they wait for.
  package var host: String?
  /// What is wrong.
  package var reason: String?
  /// Seconds until that is tried again.
  package var retryIn: Double?
  /// The last failure, until bytes come again.
  package var failure: FailureStatus?

  package init(name: String, title: String, size: Int?, cached: Int, state: State) {
    self.name = name
    self.title = title
    self.size = size
    self.cached = cached
    self.state = state
  }

  /// Whether there is more to say of it than that it is listed.
  package var isOfInterest: Bool {
    cached > 0 || open > 0 || pinned || removed || failure != nil || state == .filling
      || state == .waiting
  }
}

/// Bytes of a file in a row.
package struct Stretch: Hashable, Codable, Sendable {
  package var from: Int
  /// Behind the last one.
  package var until: Int

  package init(from: Int, until: Int) {
    self.from = from
    self.until = until
  }
}

/// Somebody who reads a file.
package struct ReaderStatus: Hashable, Codable, Sendable {
  /// Where he would read next.
  package var position: Int
  /// Bytes from there on that are in the cache.
  package var ahead: Int
  /// For how long they play; null: unknown.
  package var seconds: Double?

  package init(position: Int, ahead: Int, seconds: Double?) {
    self.position = position
    self.ahead = ahead
    self.seconds = seconds
  }
}

/// Bytes that were asked for, and are on their way.
package struct FetchStatus: Hashable, Codable, Sendable {
  package var from: Int
  /// Behind the last one.
  package var until: Int
  /// Up to where they have come.
  package var position: Int

  package init(from: Int, until: Int, position: Int) {
    self.from = from
    self.until = until
    self.position = position
  }
}

/// Why a file was last not to be had.
package struct FailureStatus: Hashable, Codable, Sendable {
  package var what: String
  /// Seconds since 1970.
  package var at: Int
  /// Seconds for which nothing is asked because of it; null: the next read asks.
  package var retryIn: Double?

  package init(what: String, at: Int, retryIn: Double?) {
    self.what = what
    self.at = at
    self.retryIn = retryIn
  }
}
