/// The byte budget of the rate limit (`--limit-rate`).
///
/// A value that is told the time. Unused bytes are saved for a tenth of a second. Since libcurl
/// passes pieces as they are, transfers may overdraw the budget; then they wait until it is repaid.
struct Allowance {
  typealias Instant = ContinuousClock.Instant

  /// Bytes a second; nil: no limit.
  private(set) var rate: Int?
  /// True once there was a limit: connections of that time still have a narrow window.
  private(set) var wasLimited = false
  private var left = 0.0
  private var countedAt: Instant

  init(at now: Instant) {
    countedAt = now
  }

  /// Sets the limit to `rate` bytes a second.
  mutating func limit(to rate: Int?, at now: Instant) {
    self.rate = rate.map { max(1, $0) }
    wasLimited = wasLimited || rate != nil
    // The debts belong to another rate.
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

  /// The time when bytes may be taken again; nil: now.
  var next: Instant? {
    guard let rate, isUsedUp else { return nil }
    // A little more than a byte, or the thread would wake up for each byte.
    return countedAt + .seconds((1 - left) / Double(rate)) + .milliseconds(10)
  }

  /// The most bytes in flight: untaken bytes must not pile up in the system's buffers.
  var window: Int {
    rate.map { min(max($0 / 5, 64 << 10), Self.widest) } ?? Self.widest
  }

  private static let widest = 1 << 30
}

/// The allowance that all transfers of a client share. Belongs to the client's thread.
final class Meter {
  var allowance = Allowance(at: .now)
}
