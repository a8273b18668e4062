import Blocks

/// Whether anything may be fetched, as the user says.
package enum Line: Hashable, Sendable {
  case open
  /// Nothing is fetched, and who reads what is missing waits until that may be.
  case paused
  /// Nothing is fetched, and who reads what is missing is told at once.
  case offline
}

/// What follows when the user says whether anything may be fetched.
extension FillState {
  /// From now on `line` holds. What is under way is dropped where nothing may be fetched; who waits then
  /// gets his bytes afterwards.
  package mutating func turned(_ line: Line, at now: Duration) -> [Action] {
    guard line != self.line, !hasEnded else { return [] }
    self.line = line
    endPutOff(at: now)
    let deadline = deadline(since: now)
    for wait in waiting.keys { waiting[wait]?.deadline = deadline }
    for handle in windows.keys { windows[handle]?.lookAgain() }
    switch line {
    case .open:
      // It is asked anew whether the origin is there.
      trouble = nil
      failures = []
      return resumeReady() + demand(at: now) + fetchAhead(at: now) + fetchParts(at: now)
    case .paused:
      return resumeReady() + dropAll()
    case .offline:
      return resumeReady() + waiting.keys.sorted().flatMap { end($0, .offline) } + dropAll()
    }
  }

  /// Until when a read waits that was made at `start`.
  func deadline(since start: Duration) -> Duration {
    start + (line == .paused ? rules.pauseTimeout : rules.readTimeout)
  }

  /// Whether anything may be asked for at all.
  var mayFetch: Bool {
    line == .open && !hasEnded && !isSuperseded && !isRenewing
  }
}
