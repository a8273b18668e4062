/// A lock that keeps more than a value apart, such as the work of a method.
///
/// It is not recursive. It is unlocked by the thread that has locked it.
package final class Lock: Sendable {
  @usableFromInline let gate = Gate()

  @inlinable package init() {}

  /// Waits until no other thread has the lock, and takes it.
  @inlinable package func lock() {
    gate.lock()
  }

  /// Gives the lock to another thread that waits.
  @inlinable package func unlock() {
    gate.unlock()
  }

  /// Calls `body` while this thread has the lock. Returns what `body` returns, and throws what it
  /// throws.
  @inlinable package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    gate.lock()
    defer { gate.unlock() }
    return try body()
  }
}
