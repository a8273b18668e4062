import Dispatch

/// Runs jobs that may block on the disk, one after the other, on a thread of its own.
protocol JobQueue: Sendable {
  func add(_ job: @escaping @Sendable () -> Void)
  func add(after delay: Duration, _ job: @escaping @Sendable () -> Void)
  /// Runs `job` after all jobs that were added earlier, and returns its result; blocks.
  func wait<Result>(for job: () -> Result) -> Result
}

/// A queue of libdispatch.
struct DispatchJobs: JobQueue {
  private let queue: DispatchQueue

  init(_ label: String, qos: DispatchQoS = .unspecified) {
    queue = DispatchQueue(label: label, qos: qos)
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
