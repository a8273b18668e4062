/// When a feed's page is asked for again.
///
/// The user's interval is a lower bound, as is whatever publisher and server ask for.
package struct RefreshSchedule: Hashable, Sendable {
  /// A mount that starts from a snapshot asks at once.
  package static let first = Duration.zero

  /// What the user wants.
  package var base: Duration
  /// Never more often than this; also the first wait after a failure.
  package var shortest: Duration
  /// Never less often than this, whatever a feed asks for.
  package var longest: Duration

  package init(
    base: Duration = .seconds(30 * 60), shortest: Duration = .seconds(5 * 60),
    longest: Duration = .seconds(24 * 3600)
  ) {
    self.base = base
    self.shortest = shortest
    self.longest = longest
  }

  /// How long to wait after an answer that could be used.
  ///
  /// It does not end while the publisher asks not to come.
  ///
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - jitter: from 0 to 1, chance: mounts that were started together drift apart.
  package func wait(after page: PageFacts, now: Int, jitter: Double) -> Duration {
    let wait = spread(interval(of: page), by: jitter)
    guard let quiet = page.quiet else { return wait }
    let end = now + Int(wait.components.seconds)
    return wait + .seconds(quiet.end(after: end) - end)
  }

  /// How long to wait after a failure.
  ///
  /// - Parameters:
  ///   - failures: how many there were in a row, from 1.
  ///   - page: what the last good answer said.
  ///   - retryAfter: what the server asked for with this failure.
  ///   - jitter: from 0 to 1, chance.
  package func wait(
    afterFailures failures: Int, of page: PageFacts, retryAfter: Duration?, jitter: Double
  ) -> Duration {
    let doublings = min(max(failures - 1, 0), 16)  // 5 min · 2^16 is more than any interval
    let backoff = min(shortest * (1 << doublings), interval(of: page))
    return spread(clamped(max(backoff, retryAfter ?? .zero)), by: jitter)
  }

  private func interval(of page: PageFacts) -> Duration {
    // Bounded first, so that no number in a feed can overflow the multiplication.
    let ttl = Duration.seconds(60 * min(max(page.ttl ?? 0, 0), 1 << 20))
    let maxAge = Duration.seconds(min(max(page.maxAge ?? 0, 0), 1 << 30))
    return clamped(max(base, ttl, maxAge))
  }

  /// Adds up to a tenth.
  private func spread(_ interval: Duration, by jitter: Double) -> Duration {
    clamped(interval + interval * (0.1 * min(max(jitter, 0), 1)))
  }

  private func clamped(_ interval: Duration) -> Duration {
    min(max(interval, shortest), longest)
  }
}
