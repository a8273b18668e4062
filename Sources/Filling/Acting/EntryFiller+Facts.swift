package import Blocks
import Locks

/// Facts about the file as it is now.
extension EntryFiller {
  /// The version that is being fetched; nil before the first answer has told its length and
  /// validator.
  package var representation: Representation? {
    state.withLock { $0.representation }
  }

  /// The buffering state of the file.
  package var bufferState: BufferState {
    state.withLock { $0.bufferState }
  }

  /// True if any fetch is under way, including preloads and comparisons.
  package var isFetching: Bool {
    state.withLock { $0.isFetching }
  }

  /// True if all bytes are cached.
  package var isComplete: Bool {
    state.withLock { $0.fill.isComplete }
  }

  /// True if the origin serves another version than this one now.
  package var isStale: Bool {
    state.withLock { $0.access.isStale }
  }

  /// True if the last reader that closed the file had read to its end. Readers that read no further
  /// than their first fetch do not count.
  package var isPlayedToEnd: Bool {
    state.withLock { $0.fill.isPlayedToEnd }
  }

  /// Returns the bytes that the reader of `handle` has read in a row. Returns nil if it has read
  /// nothing, or if it is a scanner, which reads only the type of the file.
  package func run(of handle: FillState.HandleID) -> ReadRun? {
    let now = timekeeper.now
    return state.withLock { $0.fill.run(of: handle, at: now) }
  }

  /// The fetches and readers of the file now, for the status.
  package var report: FillReport {
    let now = timekeeper.now
    return state.withLock { $0.report(at: now) }
  }

  /// The latency and the rate of the line to the origin, measured by the fetches of this file; nil
  /// if too few bytes came to measure them.
  package var line: KnownLine? {
    state.withLock { $0.fill.lanes.line }
  }

  /// A copy of the state of a file of unknown length; nil if the length is known.
  package var growth: GrowthState? {
    state.withLock { $0.growth }
  }

  /// For a file of unknown length: the time since the last bytes came. Nil if no bytes have come,
  /// or if the length is known.
  package var silence: Duration? {
    let now = timekeeper.now
    return state.withLock { $0.growth?.lastBytes.map { now - $0 } }
  }

  /// The current time of `timekeeper`, by which all deadlines are set.
  package var now: Duration { timekeeper.now }

  /// A copy of the state that decides about a file of known length.
  package var snapshot: FillState {
    state.withLock { $0.fill }
  }
}
