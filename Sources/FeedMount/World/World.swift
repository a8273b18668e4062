import Dispatch
import Fuse
import HTTP
import Storage
import Streaming
import SystemPackage

/// Everything outside of a mount that its feeds use: clocks, network, disk, kernel, threads and
/// chance. Feeds reach them only through this type. So a simulation is the same mount in another
/// world.
struct World: Sendable {
  /// Makes a clock that stops while the computer sleeps, with a thread of this name.
  let timekeeper: @Sendable (_ label: String) -> any Timekeeper
  let wall: WallClock
  let tasks: Tasks
  /// Makes a queue with a thread of this name.
  typealias MakeJobs = @Sendable (_ label: String, DispatchQoS) -> any JobQueue

  let makeJobs: MakeJobs
  let network: any NetworkClient
  let disk: Disk
  let kernel: any KernelNotices
  /// Returns a random number.
  let random: @Sendable () -> UInt64

  /// The world of this computer.
  ///
  /// - Parameter hears: hears of files of other formats.
  static func real(
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
  func jobs(_ label: String, qos: DispatchQoS = .unspecified) -> any JobQueue {
    makeJobs(label, qos)
  }

  /// Returns tasks and a queue that share one thread of this name, which may block on the disk. A
  /// simulation keeps its own threads.
  func alone(on label: String) -> (tasks: Tasks, queue: any JobQueue) {
    guard tasks.executor == nil else { return (tasks, jobs(label)) }
    let queue = QueueExecutor(label)
    return (Tasks(executor: queue, clock: tasks.clock), queue)
  }

  /// Returns a random number from 0 to 1.
  func chance() -> Double {
    Double(random() >> 11) / Double(1 << 53 - 1)
  }
}
