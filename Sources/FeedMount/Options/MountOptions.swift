package import Control
package import SystemPackage

/// All that a mount needs to know; travels to the daemon over a pipe, never in its arguments, since
/// addresses hold secrets.
package struct MountOptions: Hashable, Codable, Sendable {
  /// One lies at the root of the mount, each of several in a folder.
  package var feeds: [FeedChoice]
  /// Absolute.
  package var mountPoint: FilePath
  /// Absolute; the cache of all feeds.
  package var cacheDirectory: FilePath
  /// Absolute; catalogs and logs of all feeds.
  package var stateDirectory: FilePath
  package var allowsNonempty = false
  package var allowsOther = false
  /// Blocks of private addresses that feeds and entries may name, such as 10.0.0.0/8.
  package var allowedPrivate: [String] = []
  package var proxy: String?
  /// Absolute; the certificates that TLS believes in the place of the system's.
  package var authorities: FilePath?
  /// Public keys that hosts have to have, by host.
  package var pins: [String: String] = [:]
  /// Whether anything is fetched, to begin with.
  package var mode = Mode.online
  /// Bytes a second that all origins together may send: "2M"; nil: any number.
  package var limitRate: String?
  /// Seconds after which a read that waits ends with an error.
  package var readTimeout = 60.0
  /// How much of a file is fetched beyond what its readers will want soon.
  package var fill = FillPolicy.window
  /// Below this much free space nothing is cached: "5%", "10G".
  package var minFree = "5%"
  /// What the cache may take up, of all feeds and mounts that share it: "20G", "unlimited".
  package var cacheSize = "20G"
  /// Whether the kernel may read complete files by itself, where it can.
  package var passesThrough = true
  package var logLevel = "info"
  /// Further mount options, as of mount.fuse3(8).
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

/// How much of a file is fetched beyond what its readers will want soon.
package enum FillPolicy: String, Hashable, Codable, CaseIterable, Sendable {
  /// Nothing.
  case window
  /// All of a file that was played for a minute, in the background and also after it is closed.
  case rest
  /// All of a file that somebody reads on in.
  case all

  /// For how long somebody reads on until all of the file is wanted; nil: never.
  var wholeAfter: Duration? {
    switch self {
    case .window: nil
    case .rest: .seconds(60)
    case .all: .zero
    }
  }
}
