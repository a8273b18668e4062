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
