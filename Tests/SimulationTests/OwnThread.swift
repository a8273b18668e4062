import Dispatch
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

/// Returns the result of `body` and blocks this thread until then: a life is a plain sequence of
/// steps. The thread must not belong to Swift's pool.
func waited<Value: Sendable>(for body: @escaping @Sendable () async -> Value) -> Value {
  let isThere = DispatchSemaphore(value: 0)
  nonisolated(unsafe) var value: Value?
  Task.detached {
    value = await body()
    isThere.signal()
  }
  isThere.wait()
  guard let value else { preconditionFailure("it was signalled") }
  return value
}
