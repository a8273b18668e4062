import Glibc
package import SystemPackage

/// The extended attributes of a mount's root. Commands use them to reach the mount's daemon.
package struct RootAttributes: Sendable {
  /// The attribute with the number of the process that serves the mount.
  static let processName = "user.feedfs.pid"
  /// The attribute with the path of the control socket, for a command that does not find the socket
  /// without help.
  static let socketName = "user.feedfs.socket"

  /// Returns the current path of the control socket; nil if there is none.
  let socket: @Sendable () -> FilePath?

  package init(socket: @escaping @Sendable () -> FilePath?) {
    self.socket = socket
  }

  package var names: [String] {
    [Self.processName] + (socket() == nil ? [] : [Self.socketName])
  }

  package func value(_ name: String) -> String? {
    switch name {
    case Self.processName: "\(getpid())"
    case Self.socketName: socket()?.string
    default: nil
    }
  }
}
