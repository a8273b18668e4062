import Locks

/// The state in words, for the log.
extension EntryFiller: CustomStringConvertible {
  package var description: String {
    let now = timekeeper.now
    return state.withLock { state in
      "\(state.fill.description(at: now)), \(state.waiters.count) waiters, \(state.outbox.count) actions to do"
        + (state.isPerforming ? ", doing one" : "")
        + (state.diskWaits.isEmpty ? "" : ", \(state.diskWaits.count) wait for the disk")
    }
  }
}
