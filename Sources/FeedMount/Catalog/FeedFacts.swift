import NIOConcurrencyHelpers

/// A fact about a mounted feed, from which something follows for its disk, its kernel or its preloads.
enum FeedFact: Sendable {
  /// The catalog differs from the one on the disk.
  case catalogChanged
  /// This name means another file, or none.
  case nameChanged(String)
  /// This name in `by-title` means another file, or none.
  case titleChanged(String)
  /// An entry came, left the listing, or has another name.
  case listingChanged
  /// The attributes of the inode have changed.
  case attributesChanged(UInt64)
  /// The bytes of the inode that a reader got are wrong.
  case contentsChanged(UInt64)
  /// The size of the inode, which no program has open, is proved, and an open waits until the kernel
  /// has it; `isGreater`: than all sizes that the kernel may have.
  case sizeProved(Int, of: UInt64, isGreater: Bool)
  /// More of the version with this inode should be cached, or its entry is no longer pinned.
  case pinsChanged(UInt64)
  /// The version was opened to be read by the daemon.
  case served(EntryVersion)
  /// The last open of this version was closed.
  case closed(EntryVersion)
  /// Something happened to the version with this inode.
  case version(VersionMaker.Event, of: UInt64)
  /// There is a mount from now on.
  case mounted
}

/// Brings facts about a feed to the object that acts on them, which is made after those that tell
/// them: until then they wait.
///
/// Safe from any thread. A fact is acted upon before `post` returns, with no lock held: a reader
/// that then gets ESTALE finds the new version under the name.
final class FeedFacts: Sendable {
  typealias Receiver = @Sendable (FeedFact) -> Void

  private struct State {
    var waiting: [FeedFact] = []
    var receiver: Receiver?
    var hasEnded = false
  }

  private let state = NIOLockedValueBox(State())

  func post(_ fact: FeedFact) {
    let receiver = state.withLockedValue { state -> Receiver? in
      if state.receiver == nil, !state.hasEnded { state.waiting.append(fact) }
      return state.receiver
    }
    receiver?(fact)
  }

  /// Gives `receiver` all facts, those that wait first.
  func deliver(to receiver: @escaping Receiver) {
    let waiting = state.withLockedValue { state in
      state.receiver = receiver
      defer { state.waiting = [] }
      return state.waiting
    }
    for fact in waiting { receiver(fact) }
  }

  /// Drops all facts from now on.
  func end() {
    state.withLockedValue { $0 = State(hasEnded: true) }
  }
}
