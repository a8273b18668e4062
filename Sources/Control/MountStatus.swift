package import Blocks
package import FeedReading
import Markup

/// The status of a mount: `.feedfs/status.json`, and the output of `feedfs status --json`.
///
/// No text in it contains a secret. Addresses are shown without userinfo, query and fragment.
package struct MountStatus: Hashable, Codable, Sendable {
  /// The version of the schema. It increases when a field changes its meaning or is removed. A new
  /// field does not increase it.
  package static let currentSchema = 4

  package var schema = Self.currentSchema
  package var version: String
  package var pid: Int
  package var mountPoint: String
  /// True if the kernel reads complete files by itself, without the daemon.
  package var passthrough: Bool
  package var mode = NetworkMode.online
  /// The rate limit in bytes a second for all origins together; null if there is none.
  package var rateLimit: Int?
  /// True if the network is metered.
  package var isMetered = false
  package var feeds: [FeedStatus]
  /// The reason why the mount does not show the subscriptions of the configuration file as they are
  /// now; null if it does, or if it follows no file.
  package var subscriptions: String?
  package var cache: CacheStatus
  package var files: [FileStatus]
  /// The number to pass as `since` in a later request, which then gets only the files that have
  /// changed.
  package var revision = 0
  /// The number of files that were skipped before the first in `files`; null if the request did not
  /// ask for a part of the files.
  package var from: Int?
  /// The `since` of the request, if `files` has only the files that changed after it; null if
  /// `files` has all of them.
  package var since: Int?
  /// The names of the files that changed after `since` and are not in the mount now; null if
  /// `since` is null.
  package var gone: [String]?
  package var origins: [OriginStatus]

  package init(
    version: String, pid: Int, mountPoint: String, passthrough: Bool, feeds: [FeedStatus],
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
  /// Returns the status as indented JSON. Every character that could control a terminal is written
  /// as an escape.
  ///
  /// - Parameters:
  ///   - count: the number of files. The property `files` of this status is ignored.
  ///   - files: returns the files at these places.
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
  /// Cached bytes of this mount.
  package var bytes: Int
  /// Cached bytes of all feeds and mounts in the directory `path`; null if they are not counted
  /// yet.
  package var used: Int?
  /// The limit for `used`; null if there is none.
  package var limit: Int?
  /// Free bytes on the disk of the cache; null if the disk does not tell them.
  package var free: Int?
  /// The reason why nothing can be cached at the moment; null if there is none.
  package var problem: String?

  package init(path: String, bytes: Int, problem: String?) {
    self.path = path
    self.bytes = bytes
    self.problem = problem
  }
}

/// The status of one origin that was asked.
package struct OriginStatus: Hashable, Codable, Sendable {
  package var origin: String
  package var condition: OriginCondition
  /// The condition in words, only for people: "reachable", "unreachable: connection refused, next
  /// probe in 2 s".
  package var state: String
  package var lastError: String?
  package var requests: Int
  package var bytes: Int
  /// The number of requests whose answers were missing or wrong.
  package var failures = 0
  /// The smoothed time from a request to the head of its answer, in seconds; null if no answer
  /// came.
  package var latency: Double?
  /// The bytes that arrive from the origin now, for each second.
  package var speed = 0
  /// Bytes a second when bytes last arrived; null if too few bytes arrived for a figure.
  package var throughput: Int?

  package init(
    origin: String, condition: OriginCondition, state: String, lastError: String?, requests: Int,
    bytes: Int
  ) {
    self.origin = origin
    self.condition = condition
    self.state = state
    self.lastError = lastError
    self.requests = requests
    self.bytes = bytes
  }
}

/// The identity of a mount and of the process that serves it.
package struct MountIdentity: Hashable, Codable, Sendable {
  package var schema = 1
  /// The version of feedfs that the daemon runs.
  package var version: String
  package var pid: Int
  /// The path at which the mount was made. By now the mount can also be bound to other places, or
  /// be gone.
  package var mountPoint: String
  /// The minor number of the mount's device; null if unknown.
  package var device: Int?

  package init(version: String, pid: Int, mountPoint: String, device: Int?) {
    self.version = version
    self.pid = pid
    self.mountPoint = mountPoint
    self.device = device
  }
}
