import Control
import Glibc
import Host
import Logging
import NIOConcurrencyHelpers
import SystemPackage

/// Makes the control socket of a mount, and watches it. If its directory was removed, makes the
/// socket again. This happens when the user logs out.
///
/// Safe from any thread.
final class ControlDoor: Sendable {
  /// The time between two checks that the socket still exists.
  private static let interval: Duration = .seconds(2)

  private struct Open {
    let server: ControlServer
    let socket: FilePath
    /// The inode of the socket. It shows that the socket at the path is still this one, and not
    /// that of another mount.
    let inode: UInt
  }

  private struct State {
    var open: Open?
    var looking: Task<Void, Never>?
    var complaint = ""
    var isClosed = false
  }

  private let mountPoint: FilePath
  private let log: Logger
  private let tasks: Tasks
  private let answer: @Sendable (ControlRequest) async -> ControlAnswer
  private let state = NIOLockedValueBox(State())

  /// - Parameter answer: called for each request.
  init(
    of mountPoint: FilePath, tasks: Tasks, log: Logger,
    answer: @escaping @Sendable (ControlRequest) async -> ControlAnswer
  ) {
    self.mountPoint = mountPoint
    self.log = log
    self.tasks = tasks
    self.answer = answer
  }

  /// Opens the socket, and watches it until `close`. If this fails, the mount works without it.
  func open() async {
    await look()
    let looking = tasks.start { [weak self, tasks] in
      while (try? await tasks.sleep(for: Self.interval)) != nil { await self?.look() }
    }
    state.withLockedValue { $0.looking = looking }
  }

  /// The path of the socket; nil if there is none.
  var socket: FilePath? { state.withLockedValue { $0.open?.socket } }

  func close() {
    let open = state.withLockedValue { state in
      defer { (state.open, state.isClosed) = (nil, true) }
      state.looking?.cancel()
      return state.open
    }
    if let open { Self.remove(open) }
  }

  // MARK: Private

  /// Makes the socket, unless it is there.
  private func look() async {
    let before = state.withLockedValue(\.open)
    do {
      let wanted = try ControlSocket.makePlace(of: mountPoint)
      if let before, before.socket == wanted {
        // An existing file is this socket, or that of another mount.
        guard Self.inode(of: wanted) == nil else { return }
        // The old server removes the path when it ends. So it must end before the next socket is
        // made.
        await before.server.end()
      }
      let server = try await ControlServer(at: wanted.string, answer: answer)
      let now = Open(server: server, socket: wanted, inode: Self.inode(of: wanted) ?? 0)
      take(now)
    } catch {
      complain("\(error)")
    }
  }

  private func take(_ open: Open) {
    let old = state.withLockedValue { state in
      guard !state.isClosed else { return Open?.some(open) }
      defer { (state.open, state.complaint) = (open, "") }
      return state.open
    }
    if let old, isClosed || old.socket != open.socket { Self.remove(old) }
  }

  private var isClosed: Bool { state.withLockedValue(\.isClosed) }

  /// Logs a reason, unless it is the same as last time.
  private func complain(_ why: String) {
    let isNew = state.withLockedValue { state in
      defer { state.complaint = why }
      return state.complaint != why
    }
    guard isNew else { return }
    log.warning(
      "commands cannot ask this mount", metadata: ["at": "\(mountPoint)", "why": "\(why)"])
  }

  private static func remove(_ open: Open) {
    // `stop` removes the path, even if another mount's socket is there by now.
    if [nil, open.inode].contains(inode(of: open.socket)) { open.server.stop() }
  }

  private static func inode(of path: FilePath) -> UInt? {
    var status = stat()
    return lstat(path.string, &status) == 0 ? UInt(status.st_ino) : nil
  }
}
