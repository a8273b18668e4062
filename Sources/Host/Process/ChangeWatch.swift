import Dispatch
import Glibc
import Locks
import SystemPackage

/// Waits on a queue of its own for changes that descriptors report, until `end` is called.
///
/// Safe from any thread.
final class ChangeWatch: Sendable {
  /// The write end of a pipe. Closing it ends the watch. Nil before `begin` and after `end`.
  private let ending = Locked<Int32?>(nil)

  /// Runs `body` on a new queue with the name `queue`. Call this once. `body` gets the descriptor
  /// by which `hears` notices the end of the watch. If the process has no descriptor left, returns
  /// false and does not run `body`.
  @discardableResult
  func begin(_ queue: String, _ body: @escaping @Sendable (_ ends: Int32) -> Void) -> Bool {
    guard let pipe = try? Pipe() else { return false }
    ending.withLock { $0 = pipe.writeEnd.rawValue }
    let ends = pipe.readEnd.rawValue
    DispatchQueue(label: queue).async {
      body(ends)
      close(ends)
    }
    return true
  }

  deinit { end() }

  func end() {
    let descriptor = ending.withLock { ending in
      defer { ending = nil }
      return ending
    }
    if let descriptor { close(descriptor) }
  }

  /// Waits until one of the descriptors `changes` reports a change, and then for a fixed time, in
  /// which further changes can follow. Returns false if the watch has ended.
  ///
  /// - Parameter settling: the fixed time after the first change, in milliseconds.
  static func hears(_ changes: [Int32], until ends: Int32, settling: Int32) -> Bool {
    var polled = ([ends] + changes).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&polled, nfds_t(polled.count), -1) < 0 {
      guard errno == EINTR else { return false }
    }
    return polled[0].revents == 0 && poll(&polled, 1, settling) <= 0
  }
}
