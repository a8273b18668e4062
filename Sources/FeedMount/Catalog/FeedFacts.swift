import Locks

/// A fact about a mounted feed from which work follows: a save, a notice to the kernel, a fetch.
enum FeedFact: Sendable {
  /// The catalog differs from the one on the disk.
  case catalogChanged
  /// This name means another file, or none.
  case nameChanged(String)
  /// This name in `by-title` means another file, or none.
  case titleChanged(String)
  /// An entry came, left the listing, or has another name.
  case listingChanged
  /// An entry has another mark.
  case marksChanged
  /// The attributes of the inode have changed.
  case attributesChanged(UInt64)
  /// A reader got wrong bytes of this inode.
  case contentsChanged(UInt64)
  /// An open waits until the kernel has this size of the inode, in bytes. The size is proved, or is
  /// the one that is told while the file grows. No program has the file open. `isGreater` says that
  /// the size is greater than every size that the kernel may have.
  case sizeProved(Int, of: UInt64, isGreater: Bool)
  /// An open or a read waits until the kernel has this proved size of the inode, in bytes. Programs
  /// may have the file open. `last` is the last byte of the file.
  case sizeGrew(Int, last: UInt8, of: UInt64)
  /// More bytes of the version with this inode should be cached, or its entry is no longer pinned.
  case pinsChanged(UInt64)
  /// The version was opened, and the daemon answers its reads.
  case served(EntryVersion)
  /// The last open of this version was closed.
  case closed(EntryVersion)
  /// Something happened to the version with this inode.
  case version(VersionMaker.Event, of: UInt64)
  /// The feed is mounted from now on.
  case mounted
}

/// Brings facts about a feed to the one object that acts on them. Facts that are posted before that
/// object is made wait for it.
///
/// Safe from any thread. The receiver acts on a fact before `post` returns, unless facts wait, and
/// no lock is held meanwhile. So a reader that then gets ESTALE finds the new version under the
/// name.
final class FeedFacts: Sendable {
  typealias Receiver = @Sendable (FeedFact) -> Void

  private struct State {
    var waiting: [FeedFact] = []
    var receiver: Receiver?
    var hasEnded = false
  }

  private let state = Locked(State())

  func post(_ fact: FeedFact) {
    let receiver = state.withLock { state -> Receiver? in
      if state.receiver == nil, !state.hasEnded { state.waiting.append(fact) }
      return state.receiver
    }
    receiver?(fact)
  }

  /// Gives `receiver` all facts, beginning with those that wait. Facts that are posted meanwhile
  /// wait too, so that they do not overtake these.
  func deliver(to receiver: @escaping Receiver) {
    while true {
      let waiting = state.withLock { state in
        if state.waiting.isEmpty, !state.hasEnded { state.receiver = receiver }
        defer { state.waiting = [] }
        return state.waiting
      }
      if waiting.isEmpty { return }
      for fact in waiting { receiver(fact) }
    }
  }

  /// Ignores all facts from now on.
  func end() {
    state.withLock { $0 = State(hasEnded: true) }
  }
}
