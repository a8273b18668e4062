import Glibc
import Synchronization
import TestSupport

/// Threads, and the failures in them.
final class Crowd: Sendable {
  private struct State {
    var running = 0
    var failures: [String] = []
  }

  private let state = Mutex(State())

  var failures: [String] {
    state.withLock { $0.failures }
  }

  func join(_ body: @escaping @Sendable () throws -> Void) throws {
    state.withLock { $0.running += 1 }
    // Releases what the body holds, maybe a mount, before its thread counts as ended.
    let held = Mutex<(@Sendable () throws -> Void)?>(body)
    try startThread { [self] in
      var failure: String?
      do {
        try held.withLock { $0 }?()
      } catch {
        failure = "\(error)"
      }
      held.withLock { $0 = nil }
      state.withLock { state in
        state.running -= 1
        if let failure { state.failures.append(failure) }
      }
    }
  }

  /// Returns false if a thread still runs at `deadline`.
  func wait(until deadline: ContinuousClock.Instant) -> Bool {
    while state.withLock({ $0.running }) > 0 {
      guard .now < deadline else { return false }
      poll(nil, 0, 10)
    }
    return true
  }
}
