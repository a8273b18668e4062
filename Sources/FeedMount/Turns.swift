import NIOConcurrencyHelpers

/// Lets one after the other do what takes its time, in the order in which they came.
///
/// Safe from any thread.
final class Turns: Sendable {
  private let last = NIOLockedValueBox<Task<Void, Never>?>(nil)

  /// Returns when `body` is done, and all that came before it.
  func alone(_ body: @escaping @Sendable () async -> Void) async {
    let task = last.withLockedValue { last in
      let before = last
      let task = Task {
        await before?.value
        await body()
      }
      last = task
      return task
    }
    await task.value
  }
}
