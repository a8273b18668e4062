import Fuse
import Locks
import TestSupport

@testable import FeedMount
@testable import HTTP
@testable import Storage
@testable import World

/// The world around one process of a simulated mount: its clocks and its threads. Nothing happens in
/// it by itself.
///
/// One thread alone runs a simulation.
final class SimulatedWorld: @unchecked Sendable {
  /// The clock of reads, preloads and flushes.
  let time = ManualTime()
  /// The clock by which tasks sleep.
  let nights = ManualTime()
  let executor = SimulatedExecutor()
  let jobs: SimulatedJobs
  private let random: Locked<SeededRandom>

  init(seed: UInt64) {
    jobs = SimulatedJobs(time)
    random = Locked(SeededRandom(seed: seed))
  }

  /// Returns this world with its network, disk and kernel.
  ///
  /// - Parameter wall: returns the seconds since 1970.
  func world(
    _ network: any NetworkClient, _ disk: Disk, _ kernel: any KernelNotices,
    wall: @escaping @Sendable () -> Int
  ) -> World {
    World(
      timekeeper: { [time] _ in time }, wall: WallClock { wall() * 1_000_000 }, tasks: tasks,
      makeJobs: { [jobs] label, _ in jobs.queue(label) }, network: network, disk: disk,
      kernel: kernel, random: { [random] in random.withLock { $0.next() } })
  }

  var tasks: Tasks {
    Tasks(executor: executor, clock: SimulatedClock(nights))
  }

  /// Advances both clocks; runs what falls due in order, and the tasks that it wakes.
  func advance(by duration: Duration) {
    let end = time.now + duration
    executor.run()
    while let next = [time.nextCall, nights.nextCall].compactMap(\.self).min(), next <= end {
      time.advance(by: max(.zero, next - time.now))
      nights.advance(by: max(.zero, next - nights.now))
      executor.run()
    }
    time.advance(by: end - time.now)
    nights.advance(by: end - nights.now)
  }

  /// Runs all tasks and jobs until each waits for a time or for the network.
  func settle() {
    executor.run()
    while jobs.runNext() { executor.run() }
  }

  /// Runs `body`, and all that other threads do meanwhile, as far as it needs no network; returns
  /// its result, or nil if it goes on.
  func finish<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value? {
    let value = Locked<Value?>(nil)
    tasks.start {
      let result = await body()
      value.withLock { $0 = result }
    }
    executor.run()
    while value.withLock({ $0 == nil }), jobs.runNext() { executor.run() }
    return value.withLock { $0 }
  }

  /// Drops what was to happen: the process is gone.
  func end() {
    time.end()
    nights.end()
    jobs.end()
  }
}

/// Runs tasks when the simulation says so, one after the other.
final class SimulatedExecutor: TaskExecutor {
  private let jobs = Locked<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  var isIdle: Bool { jobs.withLock(\.isEmpty) }

  /// Runs all tasks until each of them waits.
  func run() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

/// The clock by which the tasks of a simulation sleep.
struct SimulatedClock: TaskClock {
  private typealias Sleeper = CheckedContinuation<Void, any Error>

  private let time: ManualTime

  init(_ time: ManualTime) {
    self.time = time
  }

  var now: Duration { time.now }

  func sleep(for duration: Duration) async throws {
    let sleeper = Locked<Sleeper?>(nil)
    let wake: @Sendable (Result<Void, any Error>) -> Void = { result in
      let asleep = sleeper.withLock { asleep in
        defer { asleep = nil }
        return asleep
      }
      asleep?.resume(with: result)
    }
    try await withTaskCancellationHandler {
      try Task.checkCancellation()
      try await withCheckedThrowingContinuation { asleep in
        sleeper.withLock { $0 = asleep }
        time.call(after: duration) { wake(.success(())) }
      }
    } onCancel: {
      wake(.failure(CancellationError()))
    }
  }
}

/// The queues of a process, whose jobs run when the simulation says so.
///
/// One thread alone runs a simulation.
final class SimulatedJobs: @unchecked Sendable {
  private struct Queue: JobQueue {
    let label: String
    let jobs: SimulatedJobs

    func add(_ job: @escaping @Sendable () -> Void) {
      jobs.pending.append((label, job))
    }

    func add(after delay: Duration, _ job: @escaping @Sendable () -> Void) {
      jobs.time.call(after: delay) { add(job) }
    }

    func wait<Result>(for job: () -> Result) -> Result {
      jobs.finish(label)
      return job()
    }
  }

  private let time: ManualTime
  private var pending: [(label: String, job: @Sendable () -> Void)] = []

  init(_ time: ManualTime) {
    self.time = time
  }

  var isIdle: Bool { pending.isEmpty }

  func queue(_ label: String) -> any JobQueue {
    Queue(label: label, jobs: self)
  }

  /// Runs the job that waits longest; false: there is none.
  @discardableResult
  func runNext() -> Bool {
    guard !pending.isEmpty else { return false }
    pending.removeFirst().job()
    return true
  }

  func end() {
    pending = []
  }

  private func finish(_ label: String) {
    while let next = pending.firstIndex(where: { $0.label == label }) {
      pending.remove(at: next).job()
    }
  }
}
