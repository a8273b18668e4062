/// The byte budget of the rate limit (`--limit-rate`).
///
/// A value without a clock: its caller passes the time. Unused bytes are saved, but not more than
/// the limit allows in a tenth of a second. libcurl passes whole pieces, so transfers can take more
/// than the budget has. They then wait until the debt is repaid.
struct Allowance {
  typealias Instant = ContinuousClock.Instant

  /// The limit in bytes a second; nil: no limit.
  private(set) var rate: Int?
  /// True once there was a limit. Connections from that time still have a narrow TCP window.
  private(set) var wasLimited = false
  private var left = 0.0
  private var countedAt: Instant

  init(at now: Instant) {
    countedAt = now
  }

  /// Sets the limit to `rate` bytes a second, or removes it if `rate` is nil.
  mutating func limit(to rate: Int?, at now: Instant) {
    self.rate = rate.map { max(1, $0) }
    wasLimited = wasLimited || rate != nil
    // Saved bytes and debts are dropped, because they come from another rate.
    left = 0
    countedAt = now
  }

  /// Adds the bytes that the limit allows for the time since the last call.
  mutating func pass(to now: Instant) {
    guard let rate else { return }
    left = min(left + Double(rate) * ((now - countedAt) / .seconds(1)), Double(rate) / 10)
    countedAt = now
  }

  mutating func took(_ bytes: Int) {
    if rate != nil { left -= Double(bytes) }
  }

  var isUsedUp: Bool { rate != nil && left <= 0 }

  /// The time from which bytes are allowed again; nil: they are allowed now.
  var next: Instant? {
    guard let rate, isUsedUp else { return nil }
    // The time is a little longer than one byte needs. Otherwise the thread would wake up for each
    // byte.
    return countedAt + .seconds((1 - left) / Double(rate)) + .milliseconds(10)
  }

  /// The limit of bytes that an origin can send before the client reads them. More would pile up in
  /// the system's buffers.
  var window: Int {
    rate.map { min(max($0 / 5, 64 << 10), Self.widest) } ?? Self.widest
  }

  private static let widest = 1 << 30
}

/// The byte budget that all transfers of a client share. Belongs to the client's thread.
final class Meter {
  /// Unchecked, because a check for each piece would be expensive, and only one thread has access.
  @exclusivity(unchecked) var allowance = Allowance(at: .now)

  /// True if there is a limit, and its budget is used up.
  var isUsedUp: Bool { allowance.isUsedUp }

  func took(_ bytes: Int) { allowance.took(bytes) }
}
