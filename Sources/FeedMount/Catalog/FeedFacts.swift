import Locks

/// An event of a mounted feed that causes work: a save, a notice to the kernel, a fetch.
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
  /// The kernel must forget the bytes of this inode.
  case contentsChanged(UInt64)
  /// An open waits until the kernel has this size of the inode, in bytes. The size is either
  /// proved, or the size that the kernel is told while the file is growing. No program has the file
  /// open. `isGreater` says that the size is greater than every size that the kernel can have.
  case sizeProved(Int, of: UInt64, isGreater: Bool)
  /// An open or a read waits until the kernel has this proved size of the inode, in bytes. Programs
  /// can have the file open. `last` is the last byte of the file.
  case sizeGrew(Int, last: UInt8, of: UInt64)
  /// More bytes of the version with this inode should be cached, or its entry is no longer pinned.
  case pinsChanged(UInt64)
  /// The version was opened, and the daemon answers its reads.
  case served(EntryVersion)
  /// The last open of this version was closed.
  case closed(EntryVersion)
  /// The maker of the version with this inode has reported this event.
  case version(VersionMaker.Event, of: UInt64)
  /// The feed is mounted from now on.
  case mounted
}

/// Brings facts about a feed to the one receiver that acts on them. Facts that are posted before
/// there is a receiver wait for it.
///
/// Safe from any thread. `post` calls the receiver with no lock held, and returns after the
/// receiver has acted. If earlier facts still wait for the receiver, the new fact waits behind them
/// instead. So a program that gets ESTALE, and then looks the name up again, finds the new version.
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

  /// Gives `receiver` all facts, beginning with those that wait. Facts that are posted before this
  /// returns wait behind them, so that the order stays.
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
