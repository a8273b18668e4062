import TestSupport

/// An event in the life of a mount, with a seed of its own for its random choices: a step means the
/// same when others are left out.
struct Step: Hashable, CustomStringConvertible {
  enum Operation: Hashable, CaseIterable {
    // A refresh of the feed; a read of its next page.
    case refresh, page
    // A look at a name; a listing of a folder; an open of a file beside a film.
    case look, list, sidecar
    // Actions of readers.
    case open, read, seek, interrupt, close
    // Network modes, set by the user.
    case pause, offline, online
    // Eviction; clearing, pinning and unpinning by the user.
    case evict, clear, pin, unpin
    // A change of the computer's clock.
    case clock
    // The beginning and the end of faults.
    case originFails, feedFails, diskFails, faultsEnd
    // Other bytes at the origin, or other entries or addresses in the feed.
    case change
    // Bytes arrive; queues advance; time passes.
    case network, work, wait
    // The process is killed, the power fails, the mount restarts.
    case kill, cut, restart

    /// The relative frequency of the operation.
    var weight: Int {
      switch self {
      case .network: 30
      case .read: 22
      case .open: 9
      case .work: 7
      case .wait: 6
      case .seek, .close, .change: 4
      case .faultsEnd, .refresh, .look: 3
      case .evict, .originFails, .kill, .cut, .restart, .sidecar, .list: 2
      case .page, .interrupt, .feedFails, .diskFails, .pause, .offline, .online, .clear, .pin,
        .unpin, .clock:
        1
      }
    }
  }

  let operation: Operation
  let seed: UInt64

  /// Returns the steps of the life with this seed.
  static func life(_ seed: UInt64, count: Int) -> [Step] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in
      Step(operation: deck[random.below(deck.count)], seed: random.next())
    }
  }

  private static let deck = Operation.allCases.flatMap {
    [Operation](repeating: $0, count: $0.weight)
  }

  var description: String { "\(operation)" }
}
