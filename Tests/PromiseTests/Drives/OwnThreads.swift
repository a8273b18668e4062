import Dispatch
import Testing

/// Gives each test threads of its own. Bodies block, and the direct drive's parts run their tasks
/// on Swift's pool, which has no more threads than the machine has processors.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await withTaskExecutorPreference(Threads()) { try await function() }
  }

  private final class Threads: TaskExecutor {
    private let queue = DispatchQueue(label: "promises", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }
}

extension Trait where Self == OwnThreads {
  /// The tests of the suite may block.
  static var onThreadsOfTheirOwn: OwnThreads { OwnThreads() }
}

extension DriveKind {
  /// Calls `body` with each of `values`: beside each other on the direct drive, where each costs
  /// little more than its waits, else one after the other.
  func forEach<Value: Sendable>(
    _ values: [Value], _ body: @escaping @Sendable (Value) throws -> Void
  ) async throws {
    guard self == .direct else { return try values.forEach(body) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for value in values { group.addTask { try body(value) } }
      try await group.waitForAll()
    }
  }
}
