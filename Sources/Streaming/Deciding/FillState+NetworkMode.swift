import Blocks

/// The network mode: what may be fetched, as set by the user.
package enum NetworkMode: Hashable, Sendable {
  case open
  /// Nothing is fetched; a read of missing bytes waits until fetching is allowed again.
  case paused
  /// Nothing is fetched; a read of missing bytes fails at once.
  case offline
}

/// Decides what follows when the network mode changes.
extension FillState {
  /// Changes the network mode. All fetches are cancelled where none is allowed; waiting reads fail
  /// if the mode is offline, and keep waiting if it is paused.
  package mutating func turned(_ line: NetworkMode, at now: Duration) -> [Action] {
    guard line != self.line, !hasEnded else { return [] }
    self.line = line
    endPutOff(at: now)
    let deadline = deadline(since: now)
    for wait in waiting.keys { waiting[wait]?.deadline = deadline }
    for handle in windows.keys { windows[handle]?.lookAgain() }
    switch line {
    case .open:
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
    start + (line == .paused ? rules.pauseTimeout : rules.readTimeout)
  }

  /// Whether any fetch is allowed now.
  var mayFetch: Bool {
    line == .open && !hasEnded && !isSuperseded && !isRenewing
  }
}
