/// Waiting for what may take too long.
enum Patience {
  /// What `task` comes to, or nil if it has not ended `within` this time; it goes on then.
  static func value<Value: Sendable>(
    of task: Task<Value, Never>, within time: Duration
  ) async -> Value? {
    await withCheckedContinuation { continuation in
      let answer = Once<Value?> { continuation.resume(returning: $0) }
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
