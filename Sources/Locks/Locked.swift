/// A box with a value that only one thread at a time can use. All references to the box share the
/// value.
///
/// The lock is not recursive. While a thread uses the value, it must not wait for anything.
public final class Locked<Value> {
  @usableFromInline let gate = Gate()
  // The gate already keeps the accesses apart. If this were a stored property, the runtime would
  // check that once more.
  @usableFromInline let value: UnsafeMutablePointer<Value>

  @inlinable public init(_ value: Value) {
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Calls `body` with the value while no other thread uses it. Returns what `body` returns, and
  /// throws what it throws. Any thread can call it.
  @inlinable public func withLock<Result>(
    _ body: (inout Value) throws -> Result
  ) rethrows -> Result {
    gate.lock()
    defer { gate.unlock() }
    return try body(&value.pointee)
  }
}

/// `@unchecked`: only the thread that has locked the gate uses the value.
extension Locked: @unchecked Sendable where Value: Sendable {}
