/// The times at which to look whether a fetch is too slow for the film.
struct Takeover: Sendable {
  /// True if the origin has begun an answer while it sent another one.
  private(set) var servesTwo = false
  /// The time of the last look.
  private(set) var lookedAt: Duration = .zero

  /// The time between two looks.
  private static let pause = Duration.milliseconds(100)

  /// Notes that an answer began, and that `count` fetches bring bytes now.
  mutating func began(streaming count: Int) {
    servesTwo = servesTwo || count > 1
  }

  /// Notes that the origin has turned a fetch away.
  mutating func wasTurnedAway() {
    servesTwo = false
  }

  mutating func looks(at now: Duration) {
    lookedAt = now
  }

  /// Returns the time of the next look at fetches. The first of them began at `begun`. Each gets
  /// `least` to come up to speed.
  func nextLook(begun: Duration, least: Duration) -> Duration {
    max(begun + least, lookedAt + Self.pause)
  }
}
