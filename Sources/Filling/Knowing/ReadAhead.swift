/// When readers had to wait for the read-ahead, and whether the read-ahead is kept short.
struct ReadAhead: Sendable {
  /// True if the read-ahead is short, because the line is metered or limited.
  var isSparing = false
  /// The last time at which bytes came while a reader waited that had read on past its first fetch.
  private var waitedAt: Duration?
  /// The end of the grace (`FillRules.Lanes.grace`). Before this time, no more lanes start for a
  /// waiting reader that has only just gone past its first fetch. Nil if no reader waits.
  private(set) var graceEnd: Duration?

  /// A reader counts as having just waited if it did so within this time, or within a round trip.
  private static let moment = Duration.milliseconds(100)

  /// Notes that bytes came while a reader waited that had read on past its first fetch.
  mutating func waited(at now: Duration) {
    waitedAt = now
  }

  /// Returns whether a reader has waited within the last round trip (`latency`), or within the last
  /// `moment`, if that is longer.
  func hasJustWaited(at now: Duration, latency: Duration) -> Bool {
    guard let waitedAt else { return false }
    return now - waitedAt <= max(latency, Self.moment)
  }

  /// Notes that a reader waits which has just gone past its first fetch. Returns true if it has
  /// waited for less than `grace` so far.
  mutating func isInGrace(_ grace: Duration, at now: Duration) -> Bool {
    let end = graceEnd ?? now + grace
    graceEnd = end
    return now < end
  }

  /// Returns whether a reader still waits although its grace (`graceEnd`) has ended.
  func isGraceOver(at now: Duration) -> Bool {
    graceEnd.map { $0 <= now } ?? false
  }

  /// Notes that no reader waits.
  mutating func nobodyWaits() {
    graceEnd = nil
  }

  /// Returns `graceEnd`; nil if that time has passed, or if no reader waits.
  func wake(after now: Duration) -> Duration? {
    graceEnd.flatMap { $0 > now ? $0 : nil }
  }
}
