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
