/// When to check whether fetches are too slow for the film.
struct Takeover: Sendable {
  /// True if the origin has begun an answer while it was sending another one.
  private(set) var servesTwo = false
  /// The time of the last check.
  private(set) var lookedAt: Duration = .zero

  /// The time between two checks.
  private static let pause = Duration.milliseconds(100)

  /// Notes that an answer has begun, and that `count` answers come now.
  mutating func began(streaming count: Int) {
    servesTwo = servesTwo || count > 1
  }

  /// Notes that the origin has turned a fetch away.
  mutating func wasTurnedAway() {
    servesTwo = false
  }

  /// Notes that fetches are checked now.
  mutating func looks(at now: Duration) {
    lookedAt = now
  }

  /// Returns the time of the next check. `begun` is when the first answer began, and `least` the
  /// time that each one gets to come up to speed.
  func nextLook(begun: Duration, least: Duration) -> Duration {
    max(begun + least, lookedAt + Self.pause)
  }
}
