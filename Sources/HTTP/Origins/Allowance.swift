/// How many bytes may be taken, of so many a second (`--limit-rate`).
///
/// A value that is told the time. What was not taken is saved up for a tenth of a second; what was taken
/// beyond it, since libcurl hands out pieces as they are, is made up for by waiting.
struct Allowance {
  typealias Instant = ContinuousClock.Instant

  /// Bytes a second; nil: any number.
  private(set) var rate: Int?
  /// Whether there ever was a limit: connections of that time are narrow still.
  private(set) var wasLimited = false
  private var left = 0.0
  private var countedAt: Instant

  init(at now: Instant) {
    countedAt = now
  }

  /// From now on there are `rate` bytes a second.
  mutating func limit(to rate: Int?, at now: Instant) {
    self.rate = rate.map { max(1, $0) }
    wasLimited = wasLimited || rate != nil
    // Debts are those of another rate.
    left = 0
    countedAt = now
  }

  mutating func pass(to now: Instant) {
    guard let rate else { return }
    left = min(left + Double(rate) * ((now - countedAt) / .seconds(1)), Double(rate) / 10)
    countedAt = now
  }

  mutating func took(_ bytes: Int) {
    if rate != nil { left -= Double(bytes) }
  }

  var isUsedUp: Bool { rate != nil && left <= 0 }

  /// When something may be taken again; nil: now.
  var next: Instant? {
    guard let rate, isUsedUp else { return nil }
    // A little more than a byte, or the thread would turn for each.
    return countedAt + .seconds((1 - left) / Double(rate)) + .milliseconds(10)
  }

  /// Bytes that may be on their way, so that what is not taken does not pile up in the system's buffers.
  var window: Int {
    rate.map { min(max($0 / 5, 64 << 10), Self.widest) } ?? Self.widest
  }

  private static let widest = 1 << 30
}

/// The allowance that all transfers of a client share. Belongs to the client's thread.
final class Meter {
  var allowance = Allowance(at: .now)
}
