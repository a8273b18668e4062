/// The rate at which bytes come, over about the last two seconds.
///
/// A value without a clock: `now` is the time since an arbitrary start. Time is divided into
/// periods of two seconds. The rate counts all bytes of the current period. If a part of the
/// previous period is within the last two seconds, the rate counts the same share of that period's
/// bytes.
package struct Throughput: Hashable, Sendable {
  private static let period: Duration = .seconds(2)
  private static let twoPeriods = period * 2
  /// The shortest time over which a rate is measured. Over a shorter time, a rate would be a guess.
  private static let minTime: Duration = .milliseconds(250)

  /// The time of the first bytes, or of the first bytes after a pause of two periods.
  private var begun: Duration = .zero
  private var start: Duration = .zero
  private var bytes = 0
  private var bytesBefore = 0
  /// The rate that was measured last when bytes came, in bytes a second; nil before the first
  /// measurement.
  package private(set) var latest: Int?

  package init() {}

  package mutating func arrived(_ count: Int, at now: Duration) {
    if now - start >= Self.twoPeriods || (bytes == 0 && bytesBefore == 0) {
      self = Throughput(begun: now, latest: latest)
    } else if now - start >= Self.period {
      bytesBefore = bytes
      bytes = 0
      start += Self.period
    }
    bytes += count
    if now - begun >= Self.minTime { latest = rate(at: now) }
  }

  /// Returns the rate at `now` in bytes a second.
  package func rate(at now: Duration) -> Int {
    let passed = now - start
    guard passed < Self.twoPeriods else { return 0 }
    // If the period is over, the next one is counted as if it had begun and had no bytes yet.
    let isOver = passed >= Self.period
    let (new, old) = isOver ? (0, bytes) : (bytes, bytesBefore)
    let share = (isOver ? passed - Self.period : passed) / Self.period
    let counted = Double(new) + Double(old) * (1 - share)
    let time = min(max(now - begun, Self.minTime), Self.period)
    return Int(counted / (time / .seconds(1)))
  }

  private init(begun: Duration, latest: Int?) {
    self.begun = begun
    self.start = begun
    self.latest = latest
  }
}
