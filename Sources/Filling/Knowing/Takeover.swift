/// When to check whether fetches are slower than the file plays.
struct Takeover: Sendable {
  /// True if the origin has begun an answer while it was sending another one.
  private(set) var servesTwo = false
  /// The time of the last check.
  private(set) var lookedAt: Duration = .zero

  /// The shortest time between two checks.
  private static let pause = Duration.milliseconds(100)

  /// Notes that an answer has begun, and that `count` answers are coming now.
  mutating func began(streaming count: Int) {
    servesTwo = servesTwo || count > 1
  }

  /// Notes that the origin has refused a fetch, because it serves no more at once.
  mutating func wasTurnedAway() {
    servesTwo = false
  }

  /// Notes that fetches are checked now.
  mutating func looks(at now: Duration) {
    lookedAt = now
  }

  /// Returns the time of the next check. `begun` is the time at which the oldest answer began.
  /// `least` is the time that each answer gets to come up to speed.
  func nextLook(begun: Duration, least: Duration) -> Duration {
    max(begun + least, lookedAt + Self.pause)
  }
}
