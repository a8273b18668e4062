import TestSupport

/// Something that happens to a mount, and the seed of all that is left to chance in it: so that a step
/// means the same when others are left out.
struct Step: Hashable, CustomStringConvertible {
  enum Operation: Hashable, CaseIterable {
    // The feed is read; so is its next page.
    case refresh, page
    // Readers.
    case open, read, seek, interrupt, close
    // The user has nothing fetched, and fetches again.
    case pause, offline, online
    // Something of the cache has to go, by itself or because its user wants it; or it has to stay.
    case evict, clear, pin, unpin
    // Somebody sets the clock.
    case clock
    // Faults begin, and end.
    case originFails, feedFails, diskFails, faultsEnd
    // The origin has other bytes, or the feed other entries or addresses.
    case change
    // Bytes come; queues go on; time passes.
    case network, work, wait
    // The process is killed, the power fails, the mount is made anew.
    case kill, cut, restart

    /// How often it happens, beside others.
    var weight: Int {
      switch self {
      case .network: 30
      case .read: 22
      case .open: 9
      case .work: 7
      case .wait: 6
      case .seek, .close, .change: 4
      case .faultsEnd, .refresh: 3
      case .evict, .originFails, .kill, .cut, .restart: 2
      case .page, .interrupt, .feedFails, .diskFails, .pause, .offline, .online, .clear, .pin,
        .unpin,
        .clock:
        1
      }
    }
  }

  let operation: Operation
  let seed: UInt64

  /// What happens in the life with this seed.
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
