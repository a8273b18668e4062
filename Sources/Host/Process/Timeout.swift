import NIOConcurrencyHelpers

/// Waits for a task, with a timeout.
package enum Timeout {
  /// Returns the value of `task`, or nil if the task has not ended within `time`; it goes on then.
  package static func value<Value: Sendable>(
    of task: Task<Value, Never>, within time: Duration
  ) async -> Value? {
    await withCheckedContinuation { continuation in
      let answer = OneShot<Value?> { continuation.resume(returning: $0) }
      let limit = Task {
        guard (try? await Task.sleep(for: time)) != nil else { return }
        answer.give(nil)
      }
      Task {
        answer.give(await task.value)
        limit.cancel()
      }
    }
  }
}

/// An answer that several callers may give: the first one counts.
///
/// Safe from any thread.
package final class OneShot<Answer: Sendable>: Sendable {
  private let body: NIOLockedValueBox<(@Sendable (Answer) -> Void)?>

  package init(_ body: @escaping @Sendable (Answer) -> Void) {
    self.body = NIOLockedValueBox(body)
  }

  package func give(_ answer: Answer) {
    let body = body.withLockedValue { body in
      defer { body = nil }
      return body
    }
    body?(answer)
  }
}
