import Blocks
import Locks
import SystemPackage

/// Checks whether others have changed the data file since the daemon last changed it.
extension EntryFile {
  /// True if only the daemon has changed the data file. If others have changed it, each block is
  /// compared with its checksum before its next use. Also false if the file's state cannot be read.
  ///
  /// - Parameters:
  ///   - opens: whether a closed file is opened for this. If false, the state of a closed file
  ///     cannot be read, and the call takes less than a microsecond and never waits for the disk.
  ///   - own: `state.own`, if the caller has it at hand.
  @discardableResult
  func isUnchanged(opens: Bool, since own: OwnChanges? = nil) -> Bool {
    var before = own ?? state.withLock { $0.own }
    for _ in 0..<8 {
      guard let seen = try? data.glance(opens: opens) else { return false }
      if before.explain(seen) { return true }
      let now: OwnChanges? = state.withLock { state in
        // If `own` is another by now, the daemon may have made the change. So it is compared again.
        guard state.own == before else { return state.own }
        state.doubt(seen)
        return nil
      }
      guard let now else {
        // Blocks in memory are written again.
        if state.withLock({ !$0.isRetired && !$0.pending.isEmpty }) {
          writer.wrote(to: self)
          flusher.wrote(to: self)
        }
        return false
      }
      before = now
    }
    // The daemon changes the file all the time. It calls this before each of its changes, so a
    // change by others will be found there.
    return true
  }

  /// Changes the data file by `body`, and notes its state after that. The caller holds `writing`.
  func changeData(_ body: () throws(Errno) -> Void) throws(Errno) {
    isUnchanged(opens: true)
    state.withLock { $0.own.begin() }
    defer {
      let seen = try? data.glance(opens: true)
      state.withLock { state in
        let isCut = seen.map { state.own.isCut($0) } ?? false
        state.own.end(seen)
        if let seen, isCut { state.doubt(seen) }
      }
    }
    try body()
  }
}
