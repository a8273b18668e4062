import TestSupport

/// Returns the result of `body`, run on a new thread, which may block on asynchronous work.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { end in
    do {
      try startThread { end.resume(returning: body()) }
    } catch {
      end.resume(throwing: error)
    }
  }
}
