import Glibc
import SystemPackage

/// The extended attributes of a mount's root: how its daemon can be reached.
struct RootAttributes: Sendable {
  /// Where the control socket is now; nil: nowhere.
  let socket: @Sendable () -> FilePath?

  var names: [String] {
    [EntryFacts.processName] + (socket() == nil ? [] : [EntryFacts.socketName])
  }

  func value(_ name: String) -> String? {
    switch name {
    case EntryFacts.processName: "\(getpid())"
    case EntryFacts.socketName: socket()?.string
    default: nil
    }
  }
}
