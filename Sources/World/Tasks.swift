import Dispatch
import Locks

/// Starts tasks, and lets them wait for a time and for each other.
///
/// All tasks of a mount must be started here, because a simulation does not control tasks that are
/// started by other means.
package struct Tasks: Sendable {
  /// The threads that run the tasks; nil for Swift's pool.
  let executor: (any TaskExecutor)?
  package let clock: any TaskClock

  /// Tasks on Swift's pool.
  package static let real = Tasks(executor: nil, clock: SystemTaskClock())

  @discardableResult
  package func start<Value: Sendable>(
    _ body: @escaping @Sendable () async -> Value
  ) -> Task<Value, Never> {
    Task(executorPreference: executor, operation: body)
  }

  /// The time since an arbitrary start; runs on while the computer sleeps.
  package var now: Duration {
    clock.now
  }

  /// Returns after `time`; throws if the task is cancelled before that.
  package func sleep(for time: Duration) async throws {
    try await clock.sleep(for: time)
  }

  /// Returns the value of `task`, or nil if the task has not ended within `time`. A task that has
  /// not ended runs on.
  package func value<Value: Sendable>(
    of task: Task<Value, Never>, within time: Duration
  ) async -> Value? {
    await withCheckedContinuation { continuation in
      let answer = OneShot<Value?> { continuation.resume(returning: $0) }
      let limit = start {
        guard (try? await sleep(for: time)) != nil else { return }
        answer.give(nil)
      }
      start {
        answer.give(await task.value)
        limit.cancel()
      }
    }
  }
}

/// Calls a closure with the first answer that is given, and ignores all later answers.
///
/// Safe from any thread.
package final class OneShot<Answer: Sendable>: Sendable {
  private let body: Locked<(@Sendable (Answer) -> Void)?>

  package init(_ body: @escaping @Sendable (Answer) -> Void) {
    self.body = Locked(body)
  }

  package func give(_ answer: Answer) {
    let body = body.withLock { body in
      defer { body = nil }
      return body
    }
    body?(answer)
  }
}

/// Runs tasks and jobs on one queue of libdispatch.
final class QueueExecutor: TaskExecutor, JobQueue {
  private let queue: DispatchQueue

  /// - Parameter label: the name of the queue.
  init(_ label: String) {
    queue = DispatchQueue(label: label)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  func add(_ job: @escaping @Sendable () -> Void) {
    queue.async(execute: job)
  }

  func add(after delay: Duration, _ job: @escaping @Sendable () -> Void) {
    queue.asyncAfter(deadline: .now() + delay.interval, execute: job)
  }

  func wait<Result>(for job: () -> Result) -> Result {
    queue.sync(execute: job)
  }
}
