/// A value that one thread at a time uses. All that refer to the box share the value.
///
/// The lock is not recursive. A thread that uses the value waits for nothing meanwhile.
package final class Locked<Value> {
  @usableFromInline let gate = Gate()
  // The gate keeps the accesses apart. The runtime's own check would cost more than the gate.
  @exclusivity(unchecked) @usableFromInline var value: Value

  @inlinable package init(_ value: Value) {
    self.value = value
  }

  /// Calls `body` with the value while no other thread uses it. Returns what `body` returns, and
  /// throws what it throws. Any thread may call it.
  @inlinable package func withLock<Result>(
    _ body: (inout Value) throws -> Result
  ) rethrows -> Result {
    gate.lock()
    defer { gate.unlock() }
    return try body(&value)
  }
}

/// `@unchecked`: only a thread that is inside the gate uses the value.
extension Locked: @unchecked Sendable where Value: Sendable {}
