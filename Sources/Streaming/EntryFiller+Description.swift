import NIOConcurrencyHelpers

/// What it is at, for the log.
extension EntryFiller: CustomStringConvertible {
  package var description: String {
    state.withLockedValue { state in
      "\(state.fill), \(state.waiters.count) waiters, \(state.outbox.count) actions to do"
        + (state.isPerforming ? ", doing one" : "")
    }
  }
}
