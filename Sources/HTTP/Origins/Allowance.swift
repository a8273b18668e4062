/// The byte budget of the rate limit (`--limit-rate`).
///
/// A value without a clock: its caller passes the time. Unused bytes are saved, up to those of a
/// tenth of a second. libcurl passes whole pieces, so transfers may overdraw the budget. They then
/// wait until the debt is repaid.
struct Allowance {
  typealias Instant = ContinuousClock.Instant

  /// Bytes a second; nil: no limit.
  private(set) var rate: Int?
  /// True once there was a limit. Connections from that time still have a narrow window.
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
    // The debt was made at another rate.
    left = 0
    countedAt = now
  }

  /// Adds the bytes that the time since the last call allows.
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
    // This waits for a little more than one byte. Otherwise the thread would wake up for each byte.
    return countedAt + .seconds((1 - left) / Double(rate)) + .milliseconds(10)
  }

  /// The limit of bytes that an origin may send before the client reads them. More would pile up in
  /// the system's buffers.
  var window: Int {
    rate.map { min(max($0 / 5, 64 << 10), Self.widest) } ?? Self.widest
  }

  private static let widest = 1 << 30
}

/// The allowance that all transfers of a client share. Belongs to the client's thread.
final class Meter {
  /// Unchecked, because a check for each piece would be expensive, and only one thread has access.
  @exclusivity(unchecked) var allowance = Allowance(at: .now)

  /// True if there is a limit, and its budget is used up.
  var isUsedUp: Bool { allowance.isUsedUp }

  func took(_ bytes: Int) { allowance.took(bytes) }
}
