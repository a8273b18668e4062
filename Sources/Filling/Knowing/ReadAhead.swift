/// When readers waited for the read-ahead, and whether it is short.
struct ReadAhead: Sendable {
  /// True if the read-ahead is short, because the line is metered or limited.
  var isSparing = false
  /// The last time at which bytes came while a reader that reads on waited.
  private var waitedAt: Duration?
  /// The time before which no lanes start for a waiting reader that has only just gone past its
  /// first fetch. Nil if no reader waits.
  private(set) var graceEnd: Duration?

  /// A reader has just waited if it did so within this time, or within a round trip.
  private static let moment = Duration.milliseconds(100)

  /// Notes that bytes came while a reader that reads on waited.
  mutating func waited(at now: Duration) {
    waitedAt = now
  }

  /// Returns whether a reader waited within the last round trip, or the last `moment`.
  func hasJustWaited(at now: Duration, latency: Duration) -> Bool {
    guard let waitedAt else { return false }
    return now - waitedAt <= max(latency, Self.moment)
  }

  /// Notes that a reader waits that has only just gone past its first fetch. Returns true if it has
  /// not waited for `grace` yet.
  mutating func isInGrace(_ grace: Duration, at now: Duration) -> Bool {
    let end = graceEnd ?? now + grace
    graceEnd = end
    return now < end
  }

  /// Returns whether the grace has ended, and the reader still waits.
  func isGraceOver(at now: Duration) -> Bool {
    graceEnd.map { $0 <= now } ?? false
  }

  /// Notes that no reader waits.
  mutating func nobodyWaits() {
    graceEnd = nil
  }

  /// Returns the end of the grace; nil if it is over, or if none has begun.
  func wake(after now: Duration) -> Duration? {
    graceEnd.flatMap { $0 > now ? $0 : nil }
  }
}
