import Dispatch
import TestSupport

/// What `body` gives, on a thread of its own, which may wait for what is asynchronous.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { end in
    do {
      try startThread { end.resume(returning: body()) }
    } catch {
      end.resume(throwing: error)
    }
  }
}

/// What `body` gives, waited for on this thread, which must be none of Swift's pool: so that a life is one
/// step after the other.
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
