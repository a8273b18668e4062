import Control
import Dispatch
import Glibc
import Host
import Logging
import Locks
import SystemPackage
import World

/// Makes the control socket of a mount, and watches it. When the user logs out, the directory of
/// the socket is removed. The socket is then made again.
///
/// Safe from any thread.
final class ControlDoor: Sendable {
  /// The time between two checks that the socket still exists.
  private static let interval: Duration = .seconds(2)
  /// The longest time that `close` waits for a socket that is being made. On a busy machine it
  /// takes a second to make one.
  private static let maxLook: DispatchTimeInterval = .seconds(5)

  private struct Open {
    let server: ControlServer
    let socket: FilePath
    /// The inode of the socket. It distinguishes this socket from one that another mount has made
    /// at the same path.
    let inode: UInt
  }

  private struct State {
    var open: Open?
    var looking: Task<Void, Never>?
    var complaint = LastWords()
    var isClosed = false
  }

  private let mountPoint: FilePath
  private let log: Logger
  private let tasks: Tasks
  private let answer: @Sendable (ControlRequest) async -> ControlAnswer
  private let state = Locked(State())
  /// The checks that are under way. `close` waits for them: if the process ended during a check, a
  /// new socket might be left behind.
  private let looks = DispatchGroup()

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
    let isClosed = state.withLock { state in
      state.looking = looking
      return state.isClosed
    }
    if isClosed { looking.cancel() }
  }

  /// The path of the socket; nil if there is none.
  var socket: FilePath? { state.withLock { $0.open?.socket } }

  /// Removes the socket, also one that is being made. Blocks until it is gone, 5 s at most.
  func close() {
    let open = state.withLock { state in
      defer { (state.open, state.isClosed) = (nil, true) }
      state.looking?.cancel()
      return state.open
    }
    if let open, Self.isOwn(open) { open.server.stop() }
    _ = looks.wait(timeout: .now() + Self.maxLook)
  }

  // MARK: Private

  /// Makes the socket, unless it exists.
  private func look() async {
    looks.enter()
    defer { looks.leave() }
    guard !isClosed else { return }
    let before = state.withLock(\.open)
    do {
      let wanted = try ControlSocket.makePlace(of: mountPoint)
      if let before, before.socket == wanted {
        // If the path has a file, it is this socket, or another mount's, which must stay.
        guard Self.inode(of: wanted) == nil else { return }
        // The old server removes the path when it ends. So the old server must end before the next
        // socket is made.
        await before.server.end()
      }
      let server = try await ControlServer(at: wanted.string, answer: answer)
      let now = Open(server: server, socket: wanted, inode: Self.inode(of: wanted) ?? 0)
      if let old = take(now), isClosed || old.socket != now.socket, Self.isOwn(old) {
        await old.server.end()
      }
    } catch {
      complain("\(error)")
    }
  }

  /// Makes `open` the current socket, unless the door is closed. Returns the socket that is not
  /// needed any more: the earlier one, or `open` itself if the door is closed.
  private func take(_ open: Open) -> Open? {
    state.withLock { state in
      guard !state.isClosed else { return open }
      defer { (state.open, state.complaint) = (open, LastWords()) }
      return state.open
    }
  }

  private var isClosed: Bool { state.withLock(\.isClosed) }

  /// Logs why the socket could not be made, unless the reason is the same as last time.
  private func complain(_ why: String) {
    guard state.withLock({ $0.complaint.take(why) }) else { return }
    log.warning(
      "feedfs commands cannot reach this mount", metadata: ["at": "\(mountPoint)", "why": "\(why)"])
  }

  /// Returns false if another mount's socket is at the path by now. If the old server ended, it
  /// would remove that socket.
  private static func isOwn(_ open: Open) -> Bool {
    [nil, open.inode].contains(inode(of: open.socket))
  }

  private static func inode(of path: FilePath) -> UInt? {
    var status = stat()
    return lstat(path.string, &status) == 0 ? UInt(status.st_ino) : nil
  }
}
