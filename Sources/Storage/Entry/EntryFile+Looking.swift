import Blocks
import Locks
import SystemPackage

/// Checks whether another program has changed the data file since the daemon last changed it.
extension EntryFile {
  /// Returns true if only the daemon has changed the data file. If another program has changed it,
  /// returns false, and each block is compared with its checksum before its next use. Also returns
  /// false if the file's state (`FileGlance`) cannot be read.
  ///
  /// - Parameters:
  ///   - opens: whether a file whose descriptor is closed is opened to read its state. If false,
  ///     the state of a closed file cannot be read. Then the call takes less than a microsecond and
  ///     never waits for the disk.
  ///   - own: `state.own`, if the caller has just read it.
  @discardableResult
  func isUnchanged(opens: Bool, since own: OwnChanges? = nil) -> Bool {
    var before = own ?? state.withLock { $0.own }
    for _ in 0..<8 {
      guard let seen = try? data.glance(opens: opens) else { return false }
      if before.explain(seen) { return true }
      let now: OwnChanges? = state.withLock { state in
        // If `state.own` has changed since, the daemon itself may have made the change. So the loop
        // compares with the new value.
        guard state.own == before else { return state.own }
        state.doubt(seen)
        return nil
      }
      guard let now else {
        // The blocks in memory must be written to the file again.
        if state.withLock({ !$0.isRetired && !$0.pending.isEmpty }) {
          writer.wrote(to: self)
          flusher.wrote(to: self)
        }
        return false
      }
      before = now
    }
    // In all 8 attempts the daemon was changing the file itself. It calls this before each of its
    // changes, so the next call will find a change by another program.
    return true
  }

  /// Runs `body`, which changes the data file, and notes the file's state after that. The caller
  /// holds the lock `writing`.
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
