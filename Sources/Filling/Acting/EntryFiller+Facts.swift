package import Blocks
import Locks

/// Facts about the file as it is now.
extension EntryFiller {
  /// The version that is fetched; nil before an answer has proved it.
  package var representation: Representation? {
    state.withLock { $0.representation }
  }

  /// The buffering state of the file.
  package var bufferState: BufferState {
    state.withLock { $0.bufferState }
  }

  /// True if any fetch is under way, including preloads.
  package var isFetching: Bool {
    state.withLock { $0.isFetching }
  }

  /// True if all bytes are cached.
  package var isComplete: Bool {
    state.withLock { $0.fill.isComplete }
  }

  /// True if the origin serves another version now.
  package var isStale: Bool {
    state.withLock { $0.access.isStale }
  }

  /// True if the last reader that had read on past its first fetch was at the end when it closed
  /// the file.
  package var isPlayedToEnd: Bool {
    state.withLock { $0.fill.isPlayedToEnd }
  }

  /// Returns the run of the reader of `handle`; nil if it is a scanner, or has read nothing.
  package func run(of handle: FillState.HandleID) -> ReadRun? {
    let now = timekeeper.now
    return state.withLock { $0.fill.run(of: handle, at: now) }
  }

  /// The fetches and readers of the file now, for the status.
  package var report: FillReport {
    let now = timekeeper.now
    return state.withLock { $0.report(at: now) }
  }

  /// The line to the origin, as the readers have measured it; nil if too few bytes came to measure
  /// it.
  package var line: KnownLine? {
    state.withLock { $0.fill.lanes.line }
  }

  /// A copy of the state of a file whose length is not known; nil for any other file.
  package var growth: GrowthState? {
    state.withLock { $0.growth }
  }

  /// The time since the last bytes came of a file whose length is not known. Nil for any other
  /// file, and if no bytes came.
  package var silence: Duration? {
    let now = timekeeper.now
    return state.withLock { $0.growth?.lastBytes.map { now - $0 } }
  }

  /// The time of the clock by which deadlines are set.
  package var now: Duration { timekeeper.now }

  /// A copy of the state that decides about a file of known length.
  package var snapshot: FillState {
    state.withLock { $0.fill }
  }
}
