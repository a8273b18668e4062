import Dispatch
import Synchronization
import TestSupport
import Testing

/// A value that another thread gives, once.
final class Awaited<Value: Sendable>: Sendable {
  private let value = Mutex<Result<Value, any Error>?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func give(_ result: Result<Value, any Error>) {
    let isSecond = value.withLock { value in
      defer { value = value ?? result }
      return value != nil
    }
    if isSecond { Issue.record("a second answer: \(result)") }
    isThere.signal()
  }

  var isGiven: Bool {
    value.withLock { $0 != nil }
  }

  /// Returns the value; nil if it is not there in time.
  func result(within limit: Duration) -> Result<Value, any Error>? {
    guard isThere.wait(timeout: .now() + limit / .seconds(1)) == .success else { return nil }
    // Whoever asks again gets it again.
    isThere.signal()
    return value.withLock { $0 }
  }

  /// Returns the value, or throws the error that came in its place, or if `what` never ends.
  func get(_ what: String, within limit: Duration = .seconds(30)) throws -> Value {
    guard let result = result(within: limit) else { throw TestToolError("\(what) never ends") }
    return try result.get()
  }

  /// Runs `body` beside this thread, which waits for its end.
  static func by(
    _ what: String, _ body: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    let awaited = Awaited()
    Task.detached {
      do {
        awaited.give(.success(try await body()))
      } catch {
        awaited.give(.failure(error))
      }
    }
    return try awaited.get(what, within: .seconds(60))
  }
}
