import Locks

/// An event that happens once; any thread can wait for it.
final class Occurrence: Sendable {
  private let lock = ConditionLock(value: false)

  func happen() {
    lock.lock()
    lock.unlock(withValue: true)
  }

  /// Waits for the event; true when it happened before the deadline.
  func wait(until deadline: ContinuousClock.Instant) -> Bool {
    let left = deadline - .now
    guard lock.lock(whenValue: true, timeoutSeconds: max(0, left / .seconds(1))) else {
      return false
    }
    lock.unlock()
    return true
  }
}
