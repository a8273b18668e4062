package import Blocks
import Control
package import SystemPackage

/// The settings of a mount. They travel to the daemon over a pipe, never in its arguments, since
/// addresses hold secrets.
package struct MountOptions: Hashable, Codable, Sendable {
  /// The feeds: a single one is at the root of the mount, each of several in a folder.
  package var feeds: [FeedChoice]
  /// The directory of the mount; absolute.
  package var mountPoint: FilePath
  /// The cache of all feeds; absolute.
  package var cacheDirectory: FilePath
  /// The catalogs and logs of all feeds; absolute.
  package var stateDirectory: FilePath
  package var allowsNonempty = false
  package var allowsOther = false
  /// Blocks of private addresses that feeds and entries may name, such as 10.0.0.0/8.
  package var allowedPrivate: [String] = []
  package var proxy: String?
  /// A file of certificates that TLS trusts instead of the system's; absolute.
  package var authorities: FilePath?
  /// The public keys that hosts must have, by host.
  package var pins: [String: String] = [:]
  /// The network mode at the start.
  package var mode = NetworkMode.online
  /// The limit of all origins together, in bytes a second: "2M"; nil: unlimited.
  package var limitRate: String?
  /// Seconds after which a blocked read ends with an error.
  package var readTimeout = 60.0
  /// The part of a file to fetch beyond its readers' read-ahead.
  package var fill = FillPolicy.window
  /// The free space below which nothing is cached: "5%", "10G".
  package var minFree = "5%"
  /// The limit of the cache, for all feeds and mounts that share it: "20G", "unlimited".
  package var cacheSize = "20G"
  /// Whether the kernel may read complete files by itself, where it can.
  package var passesThrough = true
  package var logLevel = "info"
  /// Further mount options, as in mount.fuse3(8).
  package var mountOptions: [String] = []

  package init(
    feeds: [FeedChoice], mountPoint: FilePath, cacheDirectory: FilePath, stateDirectory: FilePath
  ) {
    self.feeds = feeds
    self.mountPoint = mountPoint
    self.cacheDirectory = cacheDirectory
    self.stateDirectory = stateDirectory
  }
}

/// The part of a file to fetch beyond its readers' read-ahead.
package enum FillPolicy: String, Hashable, Codable, CaseIterable, Sendable {
  /// Nothing.
  case window
  /// All of a file that was played for a minute, in the background and also after it is closed.
  case rest
  /// All of a file, as soon as it is played.
  case all

  /// The time of playing after which the whole file is fetched; nil: never.
  var wholeAfter: Duration? {
    switch self {
    case .window: nil
    case .rest: .seconds(60)
    case .all: .zero
    }
  }
}
