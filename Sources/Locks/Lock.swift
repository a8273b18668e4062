/// A lock for work that uses more than one value, such as the whole work of a method.
///
/// The lock is not recursive. The thread that has locked it must unlock it.
public final class Lock: Sendable {
  @usableFromInline let gate = Gate()

  @inlinable public init() {}

  /// Waits until no other thread has the lock, and takes the lock.
  @inlinable public func lock() {
    gate.lock()
  }

  /// Releases the lock, so that another thread can take it.
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
