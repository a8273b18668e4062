import NIOConcurrencyHelpers

/// Something that happens once, and that any thread can wait for.
final class Occurrence: Sendable {
  private let lock = ConditionLock(value: false)

  func happen() {
    lock.lock()
    lock.unlock(withValue: true)
  }

  /// Whether it happened before the deadline.
  func wait(until deadline: ContinuousClock.Instant) -> Bool {
    let left = deadline - .now
    guard lock.lock(whenValue: true, timeoutSeconds: max(0, left / .seconds(1))) else {
      return false
    }
    lock.unlock()
    return true
  }
}
