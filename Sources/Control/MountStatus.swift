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
