import Dispatch
import Locks

/// An event that happens once; any thread can wait for it.
package final class Occurrence: Sendable {
  private let group = DispatchGroup()
  private let hasHappened = Locked(false)

  package init() {
    group.enter()
  }

  // A group that is left by nobody may not be deallocated.
  deinit {
    happen()
  }

  package func happen() {
    let isFirst = hasHappened.withLock { hasHappened in
      defer { hasHappened = true }
      return !hasHappened
    }
    if isFirst { group.leave() }
  }

  package func wait() {
    group.wait()
  }

  /// Waits for the event; true when it happened before the deadline.
  package func wait(until deadline: ContinuousClock.Instant) -> Bool {
    group.wait(timeout: .now() + max(0, (deadline - .now) / .seconds(1))) == .success
  }
}
