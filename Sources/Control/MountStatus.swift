package import Feeds

/// What a mount says about itself: `.feedfs/status.json`, and what `feedfs status --json` prints.
///
/// No text in it holds a secret: addresses come without userinfo, query and fragment.
package struct MountStatus: Hashable, Codable, Sendable {
  /// Grows when a field changes its meaning or goes; new fields may come without.
  package static let currentSchema = 2

  package var schema = Self.currentSchema
  package var version: String
  package var pid: Int
  package var mountPoint: String
  /// Whether the kernel reads complete files by itself, without asking the daemon; null: the daemon is
  /// one that cannot say.
  package var passthrough: Bool?
  package var mode = Mode.online
  /// Bytes a second that all origins together may send; null: as many as they can.
  package var rateLimit: Int?
  package var feeds: [FeedStatus]
  package var cache: CacheStatus
  package var files: [FileStatus]
  /// To be told of what has changed after this; null: the daemon is one that cannot say.
  package var revision: Int?
  /// How many files of the listing were passed over, where only some were asked for.
  package var from: Int?
  /// The `since` that was asked for, if only files are listed here that changed after it; null: all are.
  package var since: Int?
  /// The names of changed files that are listed no longer.
  package var gone: [String]?
  package var origins: [OriginStatus]

  package init(
    version: String, pid: Int, mountPoint: String, passthrough: Bool?, feeds: [FeedStatus],
    cache: CacheStatus, files: [FileStatus], origins: [OriginStatus]
  ) {
    self.version = version
    self.pid = pid
    self.mountPoint = mountPoint
    self.passthrough = passthrough
    self.feeds = feeds
    self.cache = cache
    self.files = files
    self.origins = origins
  }
}

extension MountStatus {
  /// As indented JSON, in which what could steer a terminal is written as escapes.
  ///
  /// - Parameters:
  ///   - count: how many files there are; `files` itself is passed over.
  ///   - files: those at these places.
  package func document(
    of count: Int, files: @escaping @Sendable (Range<Int>) -> [FileStatus]
  ) -> Pieces {
    var shell = self
    shell.files = []
    return Pieces(Self.encoded(shell), list: "files", count: count) {
      Self.encoded(["files": files($0)])
    }
  }

  private static func encoded(_ message: some Encodable) -> [UInt8] {
    let document = (try? Wire.encode(message, pretty: true)) ?? []
    return Array(PrintableText.json(String(decoding: document, as: UTF8.self)).utf8)
  }
}

/// The cache of a mount.
package struct CacheStatus: Hashable, Codable, Sendable {
  package var path: String
  /// Bytes of this mount that are kept.
  package var bytes: Int
  /// Bytes that all feeds and mounts together keep there; null: not counted yet.
  package var used: Int?
  /// Bytes that they may keep there; null: any number.
  package var limit: Int?
  /// Bytes that are free on its disk; null: it does not say.
  package var free: Int?
  /// Why nothing is being kept at the moment; null: it is.
  package var problem: String?

  package init(path: String, bytes: Int, problem: String?) {
    self.path = path
    self.bytes = bytes
    self.problem = problem
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
  /// Requests that were not answered as they should be.
  package var failures = 0
  /// Seconds from a request to the head of its answer, smoothed; null: there was none.
  package var latency: Double?
  /// Bytes a second that come.
  package var speed = 0
  /// Bytes a second that came when some last did; null: too few for that.
  package var throughput: Int?

  package init(origin: String, state: String, lastError: String?, requests: Int, bytes: Int) {
    self.origin = origin
    self.state = state
    self.lastError = lastError
    self.requests = requests
    self.bytes = bytes
  }
}

/// Whether a mount may ask its origins for anything.
package enum Mode: String, Hashable, Codable, Sendable, CaseIterable {
  case online
  /// Nothing is fetched; who reads what is missing waits until it goes on.
  case paused
  /// Nothing is fetched; who reads what is missing gets an error at once.
  case offline
}

/// Which mount answers, and who serves it.
package struct MountIdentity: Hashable, Codable, Sendable {
  package var schema = 1
  /// The daemon's version of feedfs.
  package var version: String
  package var pid: Int
  /// Where it was mounted; it may be bound to other places, or be there no more.
  package var mountPoint: String
  /// The minor number of its device; null: unknown.
  package var device: Int?

  package init(version: String, pid: Int, mountPoint: String, device: Int?) {
    self.version = version
    self.pid = pid
    self.mountPoint = mountPoint
    self.device = device
  }
}
