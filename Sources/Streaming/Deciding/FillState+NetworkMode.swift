package import Blocks

/// Decides what follows when the network mode changes.
extension FillState {
  /// Changes the network mode. All fetches are cancelled where none is allowed; waiting reads fail
  /// if the mode is offline, and keep waiting if it is paused.
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
    start + (mode == .paused ? rules.pauseTimeout : rules.readTimeout)
  }

  /// Whether any fetch is allowed now.
  var mayFetch: Bool {
    // A pattern compares the case alone; `==` of an enum with texts compares these, at each cached read.
    guard case .online = mode else { return false }
    return !hasEnded && !isStale && !isRenewing
  }
}
