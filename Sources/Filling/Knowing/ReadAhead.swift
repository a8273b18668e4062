/// The moments at which a reader waits for its read-ahead.
struct ReadAhead: Sendable {
  /// True if the read-ahead is short, because the line is metered or limited.
  var isSparing = false
  /// The time at which bytes came last while a reader that reads on waited.
  private var waitedAt: Duration?
  /// The end of the grace of a reader that has only just gone past its first fetch and waits; nil
  /// if none waits.
  private(set) var graceEnd: Duration?

  private static let moment = Duration.milliseconds(100)

  /// Notes that bytes came while a reader that reads on waited.
  mutating func waited(at now: Duration) {
    waitedAt = now
  }

  /// True if a reader waited within the last round trip, or a moment ago.
  func hasJustWaited(at now: Duration, latency: Duration) -> Bool {
    guard let waitedAt else { return false }
    return now - waitedAt <= max(latency, Self.moment)
  }

  /// Notes that a young reader waits. Returns true if it has not waited for `grace` yet.
  mutating func isInGrace(_ grace: Duration, at now: Duration) -> Bool {
    let end = graceEnd ?? now + grace
    graceEnd = end
    return now < end
  }

  /// True if a grace has ended, and the reader still waits.
  func isGraceOver(at now: Duration) -> Bool {
    graceEnd.map { $0 <= now } ?? false
  }

  /// Notes that no reader waits.
  mutating func nobodyWaits() {
    graceEnd = nil
  }

  /// Returns the end of the grace; nil if none runs.
  func wake(after now: Duration) -> Duration? {
    graceEnd.flatMap { $0 > now ? $0 : nil }
  }
}
