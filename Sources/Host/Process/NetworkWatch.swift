import CLinux
import Glibc
import Locks

/// Reports when this computer's addresses, routes or name servers change.
///
/// The kernel reports every change (rtnetlink(7), inotify(7)). Many changes do not matter, such as
/// when a router renews a lease. So the watch compares the current facts with the last known ones,
/// and reports only a difference. Safe from any thread.
package final class NetworkWatch: Sendable {
  /// The last known facts; nil until they were read for the first time.
  private let state = Locked<NetworkFacts?>(nil)
  private let facts: @Sendable () -> NetworkFacts
  private let changed: @Sendable () -> Void
  private let changes = ChangeWatch()

  /// - Parameters:
  ///   - facts: reads the current facts; called on a queue of the watch's own.
  ///   - changed: called on that queue after a change, a few times a second at most.
  package init(
    facts: @escaping @Sendable () -> NetworkFacts = NetworkFacts.now,
    changed: @escaping @Sendable () -> Void
  ) {
    self.facts = facts
    self.changed = changed
  }

  /// Starts to watch. Call it once. If the kernel refuses, `changed` is never called.
  package func begin() {
    changes.begin("feedfs.network") { [weak self] ends in
      let heard = [feedfs_network_changes(), FileChanges.watch([NetworkFacts.resolverFile])].filter
      { $0 >= 0 }
      self?.look()
      while ChangeWatch.hears(heard, until: ends, settling: Self.settling), let self {
        heard.forEach(Self.drain)
        self.look()
      }
      for descriptor in heard { close(descriptor) }
    }
  }

  /// Ends the watch. A call of `changed` that is under way still finishes.
  package func end() { changes.end() }

  /// Compares the current facts with the last known ones, and reports a difference. The first facts
  /// do not count as a difference.
  func look() {
    let now = facts()
    let isOther = state.withLock { known in
      defer { known = now }
      return known != nil && known != now
    }
    if isOther { changed() }
  }

  /// Reads and discards all messages, because the comparison of facts tells more. ENOBUFS means
  /// that messages were lost. After it, further messages can follow, so the loop goes on.
  private static func drain(_ descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 || count < 0 && errno == ENOBUFS else { return }
    }
  }

  /// The wait after a first change. A change of network causes many changes within some tens of
  /// milliseconds.
  static let settling: Int32 = 300  // milliseconds
}
