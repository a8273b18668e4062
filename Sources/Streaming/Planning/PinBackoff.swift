import Quantities

/// The backoff of each file whose fetched bytes were lost. A disk that refused all bytes may refuse
/// them again, and the line may be metered.
///
/// Each backoff of a name is twice as long as the one before. `end` starts again at the shortest.
package struct PinBackoff<Name: Hashable & Sendable>: Sendable {
  private struct Rest {
    var backoff = Backoff(from: first, to: longest)
    var end = Duration.zero
  }

  private var rests: [Name: Rest] = [:]

  package static var first: Duration { .seconds(60) }
  package static var longest: Duration { .seconds(6 * 3600) }

  package init() {}

  package func includes(_ name: Name, at now: Duration) -> Bool {
    rests[name].map { $0.end > now } ?? false
  }

  /// Starts a backoff of `name` and returns its length. Returns nil if one is running already.
  package mutating func begin(_ name: Name, at now: Duration) -> Duration? {
    guard !includes(name, at: now) else { return nil }
    var rest = rests[name] ?? Rest()
    let length = rest.backoff.failed()
    rest.end = now + length
    rests[name] = rest
    return length
  }

  /// Ends the backoff of `name`. The next one has the shortest length again.
  package mutating func end(_ name: Name) {
    rests[name] = nil
  }
}
