import Catalog
import FeedReading
import Locks
import World

/// Tracks the entries that have changed since the last status.
extension LiveCatalog {
  var changes: ChangeLog {
    state.withLock { $0.changes }
  }

  /// Returns the numbers of the entries that have changed since a status reported this revision.
  /// Open entries are always among them, because they can change at any time. Returns nil if any
  /// entry might have changed.
  func changed(since revision: Int) -> Set<Int>? {
    let (changes, open) = state.withLock { state in
      (state.changes, state.open.values.map(\.version.number))
    }
    return changes.changed(since: revision)?.union(open)
  }

  /// Notes that a status has reported all changes up to this revision.
  func told(_ revision: Int) {
    state.withLock { $0.changes.told(revision) }
  }

  /// Notes a change of the status of the entry with this inode.
  func note(_ inode: UInt64) {
    state.withLock { state in
      guard let number = state.catalog.current.entry(inode: inode)?.number else { return }
      state.changes.note(number, at: wall.microseconds())
    }
  }
}
