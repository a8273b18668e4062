import CLinux
import Control
import Glibc
import HTTP
import SystemPackage

/// The process that serves a mount, as another process sees it.
package struct MountDaemon: Sendable {
  /// The pidfd of the process (pidfd_open(2)). Unlike a process number, it can never mean another
  /// process.
  private let process: FileDescriptor
  package let number: Int32
  /// The minor number of the mount's device; nil if unknown.
  let device: Int?

  /// Finds the process that listens on the socket of a mount at `path`, even if that mount is no
  /// longer at `path`. If no process listens there, takes the process that the mount itself names.
  /// Returns nil if no process serves the mount, or if the mount does not answer by `deadline`.
  init?(serving path: FilePath, by deadline: ContinuousClock.Instant) {
    guard let number = Self.listener(of: path) ?? Self.named(by: path, deadline) else { return nil }
    let entry = MountPoint(path).entry.flatMap { $0.isFeed ? $0 : nil }
    self.init(number: number, device: entry?.device ?? Self.device(of: path))
  }

  /// - Parameter number: the number of the process, as the mount names it.
  init?(number: Int32, device: Int? = nil) {
    let descriptor = feedfs_pidfd_open(number)
    guard descriptor >= 0 else { return nil }
    process = FileDescriptor(rawValue: descriptor)
    self.number = number
    self.device = device
  }

  func terminate() {
    _ = feedfs_pidfd_send_signal(process.rawValue, SIGTERM)
  }

  func kill() {
    _ = feedfs_pidfd_send_signal(process.rawValue, SIGKILL)
  }

  /// Waits until the process has ended. Returns false if that takes longer than `milliseconds`.
  /// Blocks.
  package func hasEnded(within milliseconds: Int32) -> Bool {
    var wanted = pollfd(fd: process.rawValue, events: Int16(POLLIN), revents: 0)
    let deadline = ContinuousClock.now + .milliseconds(Int(milliseconds))
    var left = milliseconds
    while true {
      let found = poll(&wanted, 1, left)
      guard found < 0, errno == EINTR else { return found == 1 }
      left = max(0, Int32((deadline - .now) / .milliseconds(1)))
    }
  }

  /// Returns the process that listens on the socket of a mount at `path`; nil if no process
  /// listens, or if the mount at `path` is another user's by now. The kernel names the process even
  /// if it is stopped.
  static func listener(of path: FilePath) -> Int32? {
    let sockets = ControlSocket.places(of: path).filter { access($0.string, F_OK) == 0 }
    guard !sockets.isEmpty else { return nil }
    if let entry = MountPoint(path).entry, entry.isFeed, entry.user != geteuid() { return nil }
    for socket in sockets {
      guard let peer = LocalClient(socket: socket.string).listener(), peer.user == geteuid(),
        peer.process > 0
      else { continue }
      return peer.process
    }
    return nil
  }

  private static func named(by path: FilePath, _ deadline: ContinuousClock.Instant) -> Int32? {
    guard MountPoint(path).isOfFeeds else { return nil }
    let digits = try? MountQuestion(.attribute, RootAttributes.processName, at: path)
      .answer(by: deadline)
    return digits.flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
  }

  private static func device(of path: FilePath) -> Int? {
    let request = ControlRequest.mount
    for socket in ControlSocket.places(of: path) {
      let answer = try? LocalClient(socket: socket.string).ask(
        request.method, request.target, within: .seconds(1))
      guard let answer, answer.status == 200 else { continue }
      return (try? Wire.decode(MountIdentity.self, from: answer.body))?.device
    }
    return nil
  }
}
