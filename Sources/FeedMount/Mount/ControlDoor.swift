import Control
import Glibc
import Logging
import NIOConcurrencyHelpers
import SystemPackage

/// The control socket of a mount: made, looked after, and made anew when its directory was removed, as it
/// is when its user logs out.
///
/// Safe from any thread.
final class ControlDoor: Sendable {
  /// Between two looks whether the socket is still there.
  private static let interval: Duration = .seconds(2)

  private struct Open {
    let server: ControlServer
    let socket: FilePath
    /// Its inode: another mount may have made its own at the same place.
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
  private let answer: @Sendable (ControlRequest) async -> ControlAnswer
  private let state = NIOLockedValueBox(State())

  /// - Parameter answer: called for each request.
  init(
    of mountPoint: FilePath, log: Logger,
    answer: @escaping @Sendable (ControlRequest) async -> ControlAnswer
  ) {
    self.mountPoint = mountPoint
    self.log = log
    self.answer = answer
  }

  /// Opens it, and looks after it until `close`. A mount that commands cannot ask is one all the same.
  func open() async {
    await look()
    let looking = Task.detached { [weak self] in
      while (try? await Task.sleep(for: Self.interval)) != nil { await self?.look() }
    }
    state.withLockedValue { $0.looking = looking }
  }

  /// Where it is; nil: nowhere.
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

  private func look() async {
    let before = state.withLockedValue(\.open)
    do {
      let wanted = try ControlSocket.makePlace(of: mountPoint)
      if let before, before.socket == wanted {
        // Another that is there by now is another mount's.
        guard Self.inode(of: wanted) == nil else { return }
        // Its end takes the name away, also that of the next one.
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

  /// Once for each reason.
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
    // To stop it takes the name away, whoever's it is by now.
    if [nil, open.inode].contains(inode(of: open.socket)) { open.server.stop() }
  }

  private static func inode(of path: FilePath) -> UInt? {
    var status = stat()
    return lstat(path.string, &status) == 0 ? UInt(status.st_ino) : nil
  }
}
