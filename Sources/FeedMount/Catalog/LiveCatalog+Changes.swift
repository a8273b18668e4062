import Feeds
import NIOConcurrencyHelpers

/// Which entries have changed since a status told of them.
extension LiveCatalog {
  var changes: ChangeLog {
    state.withLockedValue { $0.changes }
  }

  /// The numbers of what has changed after this revision was told, and of what is open and may change at any
  /// time; nil: anything may have.
  func changed(since revision: Int) -> Set<Int>? {
    state.withLockedValue { state in
      let open = state.open.values.map(\.version.number)
      return state.changes.changed(since: revision)?.union(open)
    }
  }

  /// Everything up to this revision was told.
  func told(_ revision: Int) {
    state.withLockedValue { $0.changes.told(revision) }
  }

  /// Something has changed that is told of the entry with this inode.
  func note(_ inode: UInt64) {
    state.withLockedValue { state in
      guard let number = state.catalog.entry(inode: inode)?.number else { return }
      state.changes.note(number, at: ChangeLog.now())
    }
  }
}
