package import Blocks

/// Decides the next steps when the network mode changes.
extension FillState {
  /// Changes the network mode. Cancels all fetches unless `mode` is online. Waiting reads fail if
  /// `mode` is offline, and go on waiting if it is paused.
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

  /// True if fetches are allowed to start now. They are not allowed while another entity tag is
  /// being judged.
  var mayFetch: Bool { mayAsk && !tags.isOpen }

  /// True if requests to the origin are allowed now, even if only for a comparison.
  var mayAsk: Bool { access.isOpen }
}
