package import Blocks
import NIOConcurrencyHelpers

/// Facts about the file as it is now.
extension EntryFiller {
  /// The version that is fetched; nil before an answer has proved it.
  package var representation: Representation? {
    state.withLockedValue { $0.representation }
  }

  /// The buffering state of the file.
  package var bufferState: BufferState {
    state.withLockedValue { $0.bufferState }
  }

  /// True if any fetch is under way, including preloads.
  package var isFetching: Bool {
    state.withLockedValue { $0.isFetching }
  }

  /// True if all bytes are cached.
  package var isComplete: Bool {
    state.withLockedValue { $0.fill.isComplete }
  }

  /// True if the origin serves another version now.
  package var isStale: Bool {
    state.withLockedValue { $0.access.isStale }
  }

  /// True if a reader has come to the end.
  package var isPlayedToEnd: Bool {
    state.withLockedValue { $0.fill.isPlayedToEnd }
  }

  /// Returns the bytes that the reader of `handle` has read in a row; nil if there are none.
  package func run(of handle: FillState.HandleID) -> ReadRun? {
    let now = timekeeper.now
    return state.withLockedValue { $0.fill.run(of: handle, at: now) }
  }

  /// The fetches and readers, for the status.
  package var report: FillReport {
    let now = timekeeper.now
    return state.withLockedValue { $0.report(at: now) }
  }

  /// The line to the origin, as the readers have measured it; nil if too little came for that.
  package var line: KnownLine? {
    state.withLockedValue { $0.fill.lanes.line }
  }

  /// The decisions about a file whose length is not known; nil for any other file.
  package var growth: GrowthState? {
    state.withLockedValue { $0.growth }
  }

  /// For a file whose length is not known, the time since bytes last came; nil for any other file,
  /// and if no bytes came.
  package var silence: Duration? {
    let now = timekeeper.now
    return state.withLockedValue { $0.growth?.lastBytes.map { now - $0 } }
  }

  /// The time by the clock of the deadlines.
  package var now: Duration { timekeeper.now }

  /// A copy of the state of all decisions.
  package var snapshot: FillState {
    state.withLockedValue { $0.fill }
  }
}
