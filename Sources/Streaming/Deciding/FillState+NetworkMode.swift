package import Blocks

/// Decides the next steps when the network mode changes.
extension FillState {
  /// Changes the network mode. If the mode allows no fetch, all fetches are cancelled. Waiting
  /// reads fail in offline mode, and go on waiting in paused mode.
  package mutating func turned(_ mode: NetworkMode, at now: Duration) -> [Action] {
    guard mode != self.mode, !hasEnded else { return [] }
    self.mode = mode
    endPutOff(at: now)
    let deadline = deadline(since: now)
    for wait in waiting.keys { waiting[wait]?.deadline = deadline }
    for handle in windows.keys { windows[handle]?.rescan() }
    switch mode {
    case .online:
      // Earlier failures say nothing about the origin now.
      trouble = nil
      failures = []
      return resumeReady() + demand(at: now) + fetchAhead(at: now) + fetchParts(at: now)
    case .paused:
      return resumeReady() + dropAll()
    case .offline:
      return resumeReady() + waiting.keys.sorted().flatMap { end($0, .offline) } + dropAll()
    }
  }

  /// Returns the deadline of a read that was made at `start`.
  func deadline(since start: Duration) -> Duration {
    start + (mode == .paused ? rules.waits.pauseTimeout : rules.waits.readTimeout)
  }

  /// True if any fetch is allowed now.
  var mayFetch: Bool { mayAsk && !tags.isOpen }

  /// True if the origin may be asked now.
  var mayAsk: Bool {
    // A pattern compares only the case. `==` would compare the texts of the cases at each cached
    // read.
    guard case .online = mode else { return false }
    return !hasEnded && !isStale && !isRenewing && !isGrowing
  }
}
