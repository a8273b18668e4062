import Glibc
import Locks

/// The standard output or standard error of a child, collected in memory.
package final class ChildOutput: Sendable {
  private let pipe: Descriptor
  private let state = Locked(State())

  private struct State {
    var bytes: [UInt8] = []
    var hasEnded = false
    var waiters: [Occurrence] = []
  }

  /// Starts a thread that empties the pipe until its last writer is gone.
  init(reading pipe: Descriptor) throws {
    self.pipe = pipe
    _ = fcntl(pipe.number, F_SETFL, O_NONBLOCK)
    try startThread { [self] in
      var polled = pollfd(fd: pipe.number, events: Int16(POLLIN), revents: 0)
      while !state.withLock(\.hasEnded) {
        _ = poll(&polled, 1, -1)
        drain()
      }
    }
  }

  package var bytes: [UInt8] { state.withLock(\.bytes) }

  package var text: String { Self.text(of: bytes) }

  /// Returns what a program said. In the bytes of a film each that is no ASCII is a question mark:
  /// a repair would throw an error for each, and the tests would keep a backtrace for each of those.
  private static func text(of bytes: [UInt8]) -> String {
    String(validating: bytes, as: UTF8.self)
      ?? String(decoding: bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }

  /// Waits until the last writer has closed the pipe; false if that takes longer than `timeout`.
  package func waitForEnd(timeout: Duration) -> Bool {
    _ = wait(timeout: timeout, untilBytes: { _ in false })
    return state.withLock(\.hasEnded)
  }

  /// Waits until `isRight` accepts the text; false if it has not by the end of the output or after
  /// `timeout`.
  package func wait(timeout: Duration, until isRight: (String) -> Bool) -> Bool {
    wait(timeout: timeout, untilBytes: { isRight(Self.text(of: $0)) })
  }

  /// Waits for a whole line that begins with `words`, and returns its rest; nil if there is none by the
  /// end of the output or after `timeout`. Looks at the last lines first.
  package func line(after words: String, timeout: Duration) -> String? {
    let beginning = Array(words.utf8)
    var found: String?
    _ = wait(
      timeout: timeout,
      untilBytes: { bytes in
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
        while let line = lines.popLast(), found == nil {
          guard line.starts(with: beginning) else { continue }
          found = Self.text(of: Array(line.dropFirst(beginning.count)))
        }
        return found != nil
      })
    return found
  }

  private func wait(timeout: Duration, untilBytes isRight: ([UInt8]) -> Bool) -> Bool {
    let deadline = ContinuousClock.now + timeout
    while true {
      let change = Occurrence()
      let (bytes, hasEnded) = state.withLock { state in
        state.waiters.append(change)
        return (state.bytes, state.hasEnded)
      }
      if isRight(bytes) { return true }
      if hasEnded || !change.wait(until: deadline) { return false }
    }
  }

  /// Takes the bytes that are in the pipe, without waiting for more.
  func drain() {
    let waiters = state.withLock { state in
      var piece = [UInt8](repeating: 0, count: 64 << 10)
      while !state.hasEnded {
        let count = read(pipe.number, &piece, piece.count)
        if count > 0 {
          state.bytes += piece[..<count]
        } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
          state.hasEnded = true
        } else if errno == EAGAIN {
          break
        }
      }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.happen() }
  }
}
