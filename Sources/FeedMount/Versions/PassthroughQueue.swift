import Dispatch
import NIOConcurrencyHelpers
import Storage

/// Makes whole cache files sound, so that the kernel may read them without asking.
///
/// Safe from any thread. The work blocks on the disk, for as long as it takes to read a film: it has a
/// queue of its own, and is done for one file at a time.
final class PassthroughQueue: Sendable {
  private struct State {
    var pending: Set<ObjectIdentifier> = []
    var hasEnded = false
  }

  private let queue = DispatchQueue(label: "feedfs.passthrough", qos: .utility)
  private let state = NIOLockedValueBox(State())

  /// Calls `then`, on the queue, when `file` has become sound; not if it lacks a block.
  func add(_ file: EntryFile, then: @escaping @Sendable () -> Void) {
    guard file.isWhole else { return }
    let key = ObjectIdentifier(file)
    let isNew = state.withLockedValue { !$0.hasEnded && $0.pending.insert(key).inserted }
    guard isNew else { return }
    queue.async { [self] in
      // Where the disk fails the file is not sound, and is read by us as before.
      try? file.settle { !state.withLockedValue { $0.hasEnded } }
      _ = state.withLockedValue { $0.pending.remove(key) }
      if file.isSound { then() }
    }
  }

  /// Nothing is under way when this returns, and nothing is begun any more; it waits for a flush at
  /// most.
  func end() {
    state.withLockedValue { $0.hasEnded = true }
    queue.sync {}
  }
}
