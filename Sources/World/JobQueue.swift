package import Dispatch

/// Runs jobs that can block on the disk, one after the other, on the queue's own thread.
package protocol JobQueue: Sendable {
  func add(_ job: @escaping @Sendable () -> Void)
  func add(after delay: Duration, _ job: @escaping @Sendable () -> Void)
  /// Runs `job` after all jobs that were added earlier, and returns its result. Blocks until then.
  func wait<Result>(for job: () -> Result) -> Result
}

/// A queue of libdispatch.
package struct DispatchJobs: JobQueue {
  private let queue: DispatchQueue

  package init(_ label: String, qos: DispatchQoS = .unspecified) {
    queue = DispatchQueue(label: label, qos: qos)
  }

  package func add(_ job: @escaping @Sendable () -> Void) {
    queue.async(execute: job)
  }

  package func add(after delay: Duration, _ job: @escaping @Sendable () -> Void) {
    queue.asyncAfter(deadline: .now() + delay.interval, execute: job)
  }

  package func wait<Result>(for job: () -> Result) -> Result {
    queue.sync(execute: job)
  }
}
