package import Dispatch
package import Filling
package import Fuse
package import HTTP
package import Storage
package import SystemPackage

/// Everything outside of a mount that its feeds use: clocks, network, disk, kernel, threads and
/// chance. Feeds reach them only through this type. So a simulation is the same mount in another
/// world.
package struct World: Sendable {
  /// Makes a clock that stops while the computer sleeps, with a thread of this name.
  package let timekeeper: @Sendable (_ label: String) -> any Timekeeper
  package let wall: WallClock
  package let tasks: Tasks
  /// Makes a queue with a thread of this name.
  package typealias MakeJobs = @Sendable (_ label: String, DispatchQoS) -> any JobQueue

  package let makeJobs: MakeJobs
  package let network: any NetworkClient
  package let disk: Disk
  package let kernel: any KernelNotices
  /// Returns a random number.
  package let random: @Sendable () -> UInt64

  /// The world of this computer.
  ///
  /// - Parameter hears: hears of files of other formats.
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

  /// Returns a queue with a thread of this name.
  package func jobs(_ label: String, qos: DispatchQoS = .unspecified) -> any JobQueue {
    makeJobs(label, qos)
  }

  /// Returns tasks and a queue that share one thread of this name, which may block on the disk. A
  /// simulation keeps its own threads.
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
