/// A lock that keeps more than a value apart, such as the work of a method.
///
/// It is not recursive. It is unlocked by the thread that has locked it.
public final class Lock: Sendable {
  @usableFromInline let gate = Gate()

  @inlinable public init() {}

  /// Waits until no other thread has the lock, and takes it.
  @inlinable public func lock() {
    gate.lock()
  }

  /// Gives the lock to another thread that waits.
  @inlinable public func unlock() {
    gate.unlock()
  }

  /// Calls `body` while this thread has the lock. Returns what `body` returns, and throws what it
  /// throws.
  @inlinable public func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    gate.lock()
    defer { gate.unlock() }
    return try body()
  }
}
