import Dispatch
package import Host
import Glibc
import Synchronization
import SystemPackage

/// A pipe that gets a byte for each signal that this program handles. The byte is the signal's
/// number. A process has only one such pipe.
private struct SignalPipe: Sendable {
  /// The end of the pipe to which the signal handler writes. The handler does nothing else, because
  /// few calls are safe in it (signal-safety(7)).
  private static let writeEnd = Atomic<Int32>(-1)

  let readEnd: FileDescriptor

  /// Handles the signals `numbers` from now on. Ignores SIGPIPE, so that a write without a reader
  /// fails instead.
  init(_ numbers: [Int32]) throws(CommandError) {
    do {
      let pipe = try Pipe()
      Self.writeEnd.store(pipe.writeEnd.rawValue, ordering: .relaxed)
      readEnd = pipe.readEnd
    } catch {
      throw CommandError(.unavailable, "feedfs cannot make a pipe for signals: \(error)")
    }
    for number in numbers {
      signal(number) { number in
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalPipe.writeEnd.load(ordering: .relaxed), &byte, 1)
      }
    }
    signal(SIGPIPE, SIG_IGN)
  }
}

/// Catches the signals that ask a process to end, from `init` on. `whenOneComes` sets the reaction
/// to them.
package struct TerminationSignals: Sendable {
  private let pipe: SignalPipe

  package init() throws(CommandError) {
    pipe = try SignalPipe([SIGTERM, SIGINT, SIGHUP])
  }

  /// Calls `body` once, on a thread of its own, when a signal comes. If one has come already, calls
  /// it at once.
  func whenOneComes(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "feedfs.signals").async { [pipe] in
      while (try? [UInt8](unsafeUninitializedCapacity: 1) { buffer, count in
        count = try pipe.readEnd.read(into: .init(buffer))
      }) == nil {}
      body()
    }
  }
}

/// Waits for a signal, or until stdout has no reader any more. Commands that watch a mount use it
/// between two checks.
struct WatchSignals {
  enum Event {
    case time, resized, stop, end
  }

  private let pipe: SignalPipe

  init() throws(CommandError) {
    pipe = try SignalPipe([SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGWINCH])
  }

  /// Returns the first event, or `.time` if there is none within `time`.
  func wait(_ time: Duration) -> Event {
    let deadline = ContinuousClock.now + time
    while true {
      let rest = ContinuousClock.now.duration(to: deadline)
      guard rest > .zero else { return .time }
      var wanted = [
        pollfd(fd: pipe.readEnd.rawValue, events: Int16(POLLIN), revents: 0),
        pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
      ]
      guard poll(&wanted, 2, Int32(rest / .milliseconds(1)) + 1) > 0 else { continue }
      if wanted[1].revents & Int16(POLLERR | POLLHUP) != 0 { return .end }
      var byte: UInt8 = 0
      guard wanted[0].revents != 0, read(pipe.readEnd.rawValue, &byte, 1) == 1 else { continue }
      switch Int32(byte) {
      case SIGWINCH: return .resized
      case SIGTSTP: return .stop
      default: return .end
      }
    }
  }
}
