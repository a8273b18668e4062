import Catalog
import FeedReading
import NIOConcurrencyHelpers

/// Tracks the entries that have changed since a status told of them.
extension LiveCatalog {
  var changes: ChangeLog {
    state.withLockedValue { $0.changes }
  }

  /// Returns the numbers of entries that have changed after this revision was told, and of open
  /// ones, which may change at any time; nil: any entry may have changed.
  func changed(since revision: Int) -> Set<Int>? {
    state.withLockedValue { state in
      let open = state.open.values.map(\.version.number)
      return state.changes.changed(since: revision)?.union(open)
    }
  }

  /// Notes that everything up to this revision was told.
  func told(_ revision: Int) {
    state.withLockedValue { $0.changes.told(revision) }
  }

  /// Notes a change of the status of the entry with this inode.
  func note(_ inode: UInt64) {
    state.withLockedValue { state in
      guard let number = state.catalog.current.entry(inode: inode)?.number else { return }
      state.changes.note(number, at: wall.microseconds())
    }
  }
}
