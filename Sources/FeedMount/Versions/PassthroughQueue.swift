import Locks
import Storage
import World

/// Makes complete cache files durable. The kernel is then allowed to read them without the daemon.
///
/// Safe from any thread. The work blocks for as long as the disk needs to read a whole file. So it
/// has a queue of its own, and runs for one file at a time.
final class PassthroughQueue: Sendable {
  private struct State {
    var pending: Set<ObjectIdentifier> = []
    var hasEnded = false
  }

  private let queue: any JobQueue
  private let state = Locked(State())

  /// - Parameter queue: a queue that runs nothing else.
  init(_ queue: any JobQueue) {
    self.queue = queue
  }

  /// Makes `file` durable, then calls `then` on the queue. Does nothing if the file lacks a block.
  func add(_ file: EntryFile, then: @escaping @Sendable () -> Void) {
    guard file.isWhole else { return }
    let key = ObjectIdentifier(file)
    let isNew = state.withLock { !$0.hasEnded && $0.pending.insert(key).inserted }
    guard isNew else { return }
    queue.add { [self] in
      // If the disk fails, the file is not durable, and the daemon goes on reading it.
      try? file.makeDurable { !state.withLock { $0.hasEnded } }
      _ = state.withLock { $0.pending.remove(key) }
      if file.isDurable { then() }
    }
  }

  /// Ends the queue. When this returns, no work is under way, and none will begin. It waits for at
  /// most one flush of each queued file.
  func end() {
    state.withLock { $0.hasEnded = true }
    queue.wait {}
  }
}
