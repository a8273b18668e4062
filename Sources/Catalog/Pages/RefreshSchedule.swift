import FeedReading
import Quantities

/// Computes the time until a feed's page is requested again.
///
/// This wait is at least the user's interval. It is also at least as long as the publisher and the
/// server ask for, up to `maxWait`.
package struct RefreshSchedule: Hashable, Sendable {
  /// The first wait of a mount that starts from a snapshot. Such a mount asks at once.
  package static let first = Duration.zero

  /// The interval between two requests that the user has set.
  package var base: Duration
  /// The shortest wait. It is also the first wait after a failure.
  package var minWait: Duration
  /// The longest wait, even if the feed asks for more. Only the publisher's quiet times can make it
  /// longer.
  package var maxWait: Duration

  package init(
    base: Duration = .seconds(30 * 60), minWait: Duration = .seconds(5 * 60),
    maxWait: Duration = .seconds(24 * 3600)
  ) {
    self.base = base
    self.minWait = minWait
    self.maxWait = maxWait
  }

  /// Returns the wait after a usable answer.
  ///
  /// The wait is extended if it would end in the publisher's quiet times.
  ///
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - jitter: a random number from 0 to 1. It keeps mounts that start together from asking
  ///     together.
  package func wait(after page: PageFacts, now: Int, jitter: Double) -> Duration {
    let wait = spread(interval(of: page), by: jitter)
    guard let quiet = page.quiet else { return wait }
    let end = now + Int(wait.components.seconds)
    return wait + .seconds(quiet.end(after: end) - end)
  }

  /// Returns the wait after a failure.
  ///
  /// - Parameters:
  ///   - failures: the number of failures in a row, from 1.
  ///   - page: facts from the last good answer.
  ///   - retryAfter: the wait that the server asked for with this failure.
  ///   - jitter: a random number from 0 to 1.
  package func wait(
    afterFailures failures: Int, of page: PageFacts, retryAfter: Duration?, jitter: Double
  ) -> Duration {
    let backoff = Backoff(from: minWait, to: interval(of: page)).delay(afterFailures: failures)
    return spread(clamped(max(backoff, retryAfter ?? .zero)), by: jitter)
  }

  private func interval(of page: PageFacts) -> Duration {
    // The number is bounded first, so that no number in a feed can overflow the multiplication.
    let ttl = Duration.seconds(60 * min(max(page.ttl ?? 0, 0), 1 << 20))
    let maxAge = Duration.seconds(min(max(page.maxAge ?? 0, 0), 1 << 30))
    return clamped(max(base, ttl, maxAge))
  }

  /// Adds up to a tenth to an interval, in proportion to `jitter`.
  private func spread(_ interval: Duration, by jitter: Double) -> Duration {
    clamped(interval + interval * (0.1 * min(max(jitter, 0), 1)))
  }

  private func clamped(_ interval: Duration) -> Duration {
    min(max(interval, minWait), maxWait)
  }
}
