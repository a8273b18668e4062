import Glibc
import SystemPackage

/// The extended attributes of a mount's root: how its daemon can be reached.
struct RootAttributes: Sendable {
  /// The process that serves the mount.
  static let processName = "user.feedfs.pid"
  /// Where the mount's control socket is, wherever who asks would look for it.
  static let socketName = "user.feedfs.socket"

  /// Where the control socket is now; nil: nowhere.
  let socket: @Sendable () -> FilePath?

  var names: [String] {
    [Self.processName] + (socket() == nil ? [] : [Self.socketName])
  }

  func value(_ name: String) -> String? {
    switch name {
    case Self.processName: "\(getpid())"
    case Self.socketName: socket()?.string
    default: nil
    }
  }
}
