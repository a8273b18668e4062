import Dispatch
import Locks

/// Threads that are allowed to wait for a disk. So the threads for the kernel and the network never
/// wait for it.
///
/// For any thread. A read that hangs occupies its thread until the read ends.
package final class DiskReaders: Sendable {
  package typealias Work = @Sendable () -> Void

  private struct State {
    var turns: DiskTurns<Int, Work>
    /// Queues that have no work now. Each queue is serial, so it occupies one thread while it has
    /// work.
    var idle: [DispatchQueue] = []
  }

  /// The one instance of the process. Its limit is far below the 255 threads that libdispatch has
  /// at most for all queues of a process.
  package static let ofProcess = DiskReaders(most: 64, ofEach: 4)

  private let state: Locked<State>

  /// - Parameters:
  ///   - most: the limit for threads.
  ///   - maxOfEach: the limit for threads that read one file.
  init(most: Int, ofEach maxOfEach: Int) {
    state = Locked(State(turns: DiskTurns(most: most, ofEach: maxOfEach)))
  }

  /// Runs `work` as soon as a thread is free for it. `work` is allowed to wait for the disk that
  /// has `file`.
  package func read(of file: some Hashable, _ work: @escaping Work) {
    // Files with the same hash value count as one file.
    state.withLock { $0.turns.add(work, of: file.hashValue) }
    startNext()
  }

  private func startNext() {
    while let (file, work, queue) = next() {
      queue.async { [self] in
        work()
        state.withLock { state in
          state.turns.ended(file)
          state.idle.append(queue)
        }
        startNext()
      }
    }
  }

  private func next() -> (Int, Work, DispatchQueue)? {
    state.withLock { state in
      guard let next = state.turns.next() else { return nil }
      let queue = state.idle.popLast() ?? DispatchQueue(label: "feedfs.disk")
      return (next.file, next.work, queue)
    }
  }
}

/// Decides which reads run at once: as many as there are threads, but only a few of one file. So if
/// the reads of one file hang, there are still threads for other files.
struct DiskTurns<File: Hashable & Sendable, Work: Sendable>: Sendable {
  private let most: Int
  private let maxOfEach: Int
  /// The waiting reads, oldest first.
  private var waiting: [(file: File, work: Work)] = []
  private var running: [File: Int] = [:]
  private var count = 0

  /// - Parameters:
  ///   - most: the limit for reads at once.
  ///   - maxOfEach: the limit for reads of one file at once.
  init(most: Int, ofEach maxOfEach: Int) {
    self.most = most
    self.maxOfEach = maxOfEach
  }

  mutating func add(_ work: Work, of file: File) {
    waiting.append((file, work))
  }

  /// Returns the next read that is allowed to begin, and counts it as running; nil if there is
  /// none.
  mutating func next() -> (file: File, work: Work)? {
    guard count < most,
      let place = waiting.firstIndex(where: { running[$0.file, default: 0] < maxOfEach })
    else { return nil }
    let next = waiting.remove(at: place)
    running[next.file, default: 0] += 1
    count += 1
    return next
  }

  /// Notes that one read of `file` has ended.
  mutating func ended(_ file: File) {
    count -= 1
    let left = running[file, default: 1] - 1
    running[file] = left > 0 ? left : nil
  }
}
