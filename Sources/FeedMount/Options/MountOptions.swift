package import Host
package import Blocks
import Storage
package import SystemPackage

/// The options of a mount. The daemon gets them over a pipe, never as arguments, because addresses
/// can contain secrets.
package struct MountOptions: Hashable, Codable, Sendable {
  /// The feeds. A single feed is at the root of the mount. Each of several feeds has a folder.
  package var feeds: [FeedChoice]
  /// The directory of the mount; absolute.
  package var mountPoint: FilePath
  package var directories: MountDirectories
  package var settings: MountSettings
  package var allowsNonempty = false
  package var allowsOther = false
  /// The network mode at the start.
  package var mode = NetworkMode.online
  /// The source of `feeds`, if those are the user's subscriptions; nil if the user named the feeds.
  package var subscriptions: SubscriptionSource?
  /// Further mount options, as in mount.fuse3(8).
  package var mountOptions: [String] = []

  package init(
    feeds: [FeedChoice], mountPoint: FilePath, directories: MountDirectories,
    settings: MountSettings
  ) {
    self.feeds = feeds
    self.mountPoint = mountPoint
    self.directories = directories
    self.settings = settings
  }
}

/// How a daemon finds the user's subscriptions again.
package struct SubscriptionSource: Hashable, Codable, Sendable {
  /// The configuration file; absolute.
  package var file: FilePath
  /// The arguments of the `mount` command. Their options take precedence over the file.
  package var arguments: [String]

  package init(file: FilePath, arguments: [String]) {
    self.file = file
    self.arguments = arguments
  }
}

extension MountOptions {
  /// The path of the daemon's log. If the mount has only one feed, the log is beside its catalog.
  /// Otherwise it has a directory of its own.
  package var logFile: FilePath {
    directories.state(of: feeds).appending("feedfs.log")
  }

  /// Opens the log for appending. First moves it aside if `room` more bytes would make it longer
  /// than `maxLogBytes`.
  package func openLog(room: Int = 0) throws(CommandError) -> FileDescriptor {
    do {
      try OwnDirectory.check(directories.state)
      return try LogFile.open(
        logFile.lastComponent?.string ?? "feedfs.log", in: logFile.removingLastComponent(),
        maxBytes: Self.maxLogBytes, room: room)
    } catch {
      throw CommandError(error)
    }
  }

  /// The size limit of one log, in bytes. The log that was moved aside stays, so both together have
  /// at most twice as many.
  package static let maxLogBytes = 1 << 20
}
