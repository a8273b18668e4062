/// When a feed is asked for a newer address, because one that it gave was refused.
///
/// An address that was refused for the first time may be one that the feed has replaced since it was
/// last asked; one that was refused before that has nothing newer to hope for so soon.
struct RenewalRule: Sendable {
  /// A feed is not asked again sooner than this because an address was refused.
  static let pause: Duration = .seconds(5)

  /// When each address was first refused, as far as that matters still.
  private var refused: [String: ContinuousClock.Instant] = [:]

  /// Takes note that `url` was refused at `now`.
  ///
  /// - Parameter lastAsked: when the feed was last asked; nil: it may be asked at once.
  /// - Returns: how long to wait before it is asked; nil: it was asked about this address already.
  mutating func wait(
    for url: String, refusedAt now: ContinuousClock.Instant, lastAsked: ContinuousClock.Instant?
  ) -> Duration? {
    guard let lastAsked, lastAsked.duration(to: now) < Self.pause else {
      refused = [url: now]
      return .zero
    }
    refused = refused.filter { $0.value.duration(to: now) < Self.pause * 2 }
    let first = refused[url] ?? now
    refused[url] = first
    // It was asked when this address had been refused, and has no other.
    guard first >= lastAsked else { return nil }
    return Self.pause - lastAsked.duration(to: now)
  }
}
