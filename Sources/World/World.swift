package import Dispatch
package import Filling
package import Fuse
package import HTTP
package import Storage
package import SystemPackage

/// Everything outside of a mount that its feeds use: clocks, network, disk, kernel, threads and
/// random numbers. Feeds reach all of it only through this type. So a simulation runs the same
/// mount with another `World`.
package struct World: Sendable {
  /// Makes a clock that stops while the computer sleeps. `label` is the name of its thread.
  package let timekeeper: @Sendable (_ label: String) -> any Timekeeper
  package let wall: WallClock
  package let tasks: Tasks
  /// Makes a queue. `label` is the name of its thread.
  package typealias MakeJobs = @Sendable (_ label: String, DispatchQoS) -> any JobQueue

  package let makeJobs: MakeJobs
  package let network: any NetworkClient
  package let disk: Disk
  package let kernel: any KernelNotices
  /// Returns a random number, from 0 to `UInt64.max`.
  package let random: @Sendable () -> UInt64

  /// The world of this computer.
  ///
  /// - Parameter hears: called when a file on the disk is not read, because another version of
  ///   feedfs wrote it in another format.
  package static func real(
    _ client: HTTPClient, kernel: any KernelNotices,
    hears: @escaping @Sendable (OtherFormat, FilePath) -> Void = { _, _ in }
  ) -> World {
    World(
      timekeeper: { SystemTimekeeper($0) }, wall: .real, tasks: .real,
      makeJobs: { DispatchJobs($0, qos: $1) }, network: client, disk: Disk.real.telling(hears),
      kernel: kernel,
      random: { .random(in: .min ... .max) })
  }

  /// Returns a queue whose thread has the name `label`.
  package func jobs(_ label: String, qos: DispatchQoS = .unspecified) -> any JobQueue {
    makeJobs(label, qos)
  }

  /// Returns tasks and a queue that share one thread with the name `label`. The thread is allowed
  /// to block on the disk. In a simulation the tasks stay on the simulation's own thread.
  package func alone(on label: String) -> (tasks: Tasks, queue: any JobQueue) {
    guard tasks.executor == nil else { return (tasks, jobs(label)) }
    let queue = QueueExecutor(label)
    return (Tasks(executor: queue, clock: tasks.clock), queue)
  }

  /// Returns a random number from 0 to 1.
  package func chance() -> Double {
    Double(random() >> 11) / Double(1 << 53 - 1)
  }
}
