import Dispatch
package import Host
import Glibc
import Locks
import SystemPackage

/// The process of a player. A signal that ends this command also ends the player. Safe from any
/// thread.
package final class PlayerProcess: Sendable {
  /// The time after SIGTERM in which the player must end. After it, the player gets SIGKILL.
  private static let timeout = DispatchTimeInterval.seconds(2)

  private struct State {
    /// False once the process has ended. Then no signal must be sent, because another process can
    /// get its number.
    var isThere = true
    var isInterrupted = false
  }

  let number: Int32
  private let state = Locked(State())

  package init(_ program: Program, _ signals: TerminationSignals) throws(CommandError) {
    do throws(Errno) {
      number = try program.start()
    } catch {
      throw CommandError(.unavailable, "\(program.path) cannot be started: \(error)")
    }
    signals.whenOneComes { [self] in interrupt() }
  }

  /// Waits for the end of the player. Throws `Interruption` if a signal was the reason.
  package func end() throws(Interruption) -> Program.End? {
    let end = Program.end(of: number)
    let isInterrupted = state.withLock { state in
      state.isThere = false
      return state.isInterrupted
    }
    // mpv(1), "EXIT CODES": 4 is a signal, or Ctrl-C in its window.
    if isInterrupted || end == .code(4) { throw Interruption() }
    return end
  }

  package struct Interruption: Error {
    /// The exit code that a shell reports for Ctrl-C.
    package let code: Int32 = 128 + SIGINT
  }

  private func interrupt() {
    state.withLock { $0.isInterrupted = true }
    send(SIGTERM)
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeout) { [self] in send(SIGKILL) }
  }

  private func send(_ signal: Int32) {
    state.withLock { state in
      if state.isThere { kill(number, signal) }
    }
  }
}
