import Blocks
import NIOConcurrencyHelpers
import SystemPackage

/// Checks whether others have changed the data file since the daemon last changed it.
extension EntryFile {
  /// True if others have not changed the file. If they have, each block is compared with its checksum
  /// before its next use. False also if the file cannot be looked at: if `opens` is false, that is so
  /// while it is closed. Then the call never waits for the disk, and takes less than a microsecond.
  ///
  /// - Parameter own: `state.own`, if the caller has it at hand.
  @discardableResult
  func isUnchanged(opens: Bool, since own: OwnChanges? = nil) -> Bool {
    var before = own ?? state.withLockedValue { $0.own }
    for _ in 0..<8 {
      guard let seen = try? data.glance(opens: opens) else { return false }
      if before.explain(seen) { return true }
      let now: OwnChanges? = state.withLockedValue { state in
        // Only the daemon may have changed the file since `before`.
        guard state.own == before else { return state.own }
        state.doubt(seen)
        return nil
      }
      guard let now else {
        // Blocks in memory are written again.
        if state.withLockedValue({ !$0.isRetired && !$0.pending.isEmpty }) {
          writer.wrote(to: self)
          flusher.wrote(to: self)
        }
        return false
      }
      before = now
    }
    // The daemon changes it all the time, and looks before each change.
    return true
  }

  /// Changes the data file by `body`, and notes the file as it is behind that. The caller holds
  /// `writing`.
  func changeData(_ body: () throws(Errno) -> Void) throws(Errno) {
    isUnchanged(opens: true)
    state.withLockedValue { $0.own.begin() }
    defer {
      let seen = try? data.glance(opens: true)
      state.withLockedValue { state in
        let isCut = seen.map { state.own.isCut($0) } ?? false
        state.own.end(seen)
        if let seen, isCut { state.doubt(seen) }
      }
    }
    try body()
  }
}
