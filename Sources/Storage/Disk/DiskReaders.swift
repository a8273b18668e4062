import Dispatch
import NIOConcurrencyHelpers

/// Threads that may wait for a disk, so the threads for the kernel and the network need not.
///
/// For any thread; the lock is a leaf. A read that hangs occupies its thread until it ends.
package final class DiskReaders: Sendable {
  package typealias Work = @Sendable () -> Void

  private struct State {
    var turns: DiskTurns<Int, Work>
    /// A serial queue is a thread while it has work.
    var idle: [DispatchQueue] = []
  }

  /// libdispatch has at most 255 threads for all queues of a process.
  package static let ofProcess = DiskReaders(most: 64, ofEach: 4)

  private let state: NIOLockedValueBox<State>

  /// - Parameters:
  ///   - most: threads.
  ///   - maxOfEach: threads for one file.
  init(most: Int, ofEach maxOfEach: Int) {
    state = NIOLockedValueBox(State(turns: DiskTurns(most: most, ofEach: maxOfEach)))
  }

  /// Runs `work`, which waits for the disk of `file`, as soon as a thread is free for it.
  package func read(of file: some Hashable, _ work: @escaping Work) {
    // Files with the same hash value share their turns.
    state.withLockedValue { $0.turns.add(work, of: file.hashValue) }
    startNext()
  }

  private func startNext() {
    while let (file, work, queue) = next() {
      queue.async { [self] in
        work()
        state.withLockedValue { state in
          state.turns.ended(file)
          state.idle.append(queue)
        }
        startNext()
      }
    }
  }

  private func next() -> (Int, Work, DispatchQueue)? {
    state.withLockedValue { state in
      guard let next = state.turns.next() else { return nil }
      let queue = state.idle.popLast() ?? DispatchQueue(label: "feedfs.disk")
      return (next.file, next.work, queue)
    }
  }
}

/// Decides which reads may wait for the disk at once: as many as there are threads, and only a few
/// of one file, so a file that hangs leaves threads to other files.
struct DiskTurns<File: Hashable & Sendable, Work: Sendable>: Sendable {
  private let most: Int
  private let maxOfEach: Int
  /// The longest waiting read first.
  private var waiting: [(file: File, work: Work)] = []
  private var running: [File: Int] = [:]
  private var count = 0

  /// - Parameters:
  ///   - most: reads at once.
  ///   - maxOfEach: reads of one file at once.
  init(most: Int, ofEach maxOfEach: Int) {
    self.most = most
    self.maxOfEach = maxOfEach
  }

  mutating func add(_ work: Work, of file: File) {
    waiting.append((file, work))
  }

  /// Returns the next read that may go on, and counts it as under way; nil: none.
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
