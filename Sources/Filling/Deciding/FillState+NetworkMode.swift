package import Blocks

/// Decides the next steps when the network mode changes.
extension FillState {
  /// Changes the network mode. If the mode allows no fetch, all fetches are cancelled. Waiting
  /// reads fail in offline mode, and go on waiting in paused mode.
  package mutating func turned(_ mode: NetworkMode, at now: Duration) -> [Action] {
    guard access.turn(mode) else { return [] }
    seeks.endPutOff(at: now)
    let deadline = access.deadline(since: now, rules)
    for wait in waiting.keys { waiting[wait]?.deadline = deadline }
    readers.rescan()
    switch mode {
    case .online:
      trouble.beginAnew()
      return resumeReady() + demand(at: now) + fetchAhead(at: now) + fetchParts(at: now)
    case .paused:
      return resumeReady() + dropAll()
    case .offline:
      return resumeReady() + waiting.keys.sorted().flatMap { end($0, .offline) } + dropAll()
    }
  }

  /// True if any fetch is allowed now.
  var mayFetch: Bool { mayAsk && !tags.isOpen }

  /// True if the origin may be asked now.
  var mayAsk: Bool { access.isOpen }
}
