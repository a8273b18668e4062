/// How fast bytes come: over the last two seconds or so.
///
/// Pure; `now` is time since an arbitrary start. Counted are this period and the one before, of which as
/// much counts as lies within the last two seconds.
package struct Throughput: Hashable, Sendable {
  private static let period: Duration = .seconds(2)
  /// Before so much has passed a rate would be a guess.
  private static let leastTime: Duration = .milliseconds(250)

  /// When bytes came first, after a time without.
  private var begun: Duration = .zero
  private var start: Duration = .zero
  private var bytes = 0
  private var bytesBefore = 0
  /// Bytes a second, when there was last a rate to be told while bytes came.
  package private(set) var latest: Int?

  package init() {}

  package mutating func arrived(_ count: Int, at now: Duration) {
    if now - start >= Self.period * 2 || (bytes == 0 && bytesBefore == 0) {
      self = Throughput(begun: now, latest: latest)
    } else if now - start >= Self.period {
      bytesBefore = bytes
      bytes = 0
      start += Self.period
    }
    bytes += count
    if now - begun >= Self.leastTime { latest = rate(at: now) }
  }

  /// Bytes a second.
  package func rate(at now: Duration) -> Int {
    let passed = now - start
    guard passed < Self.period * 2 else { return 0 }
    // As if the period after this one had begun already, with nothing in it.
    let isOver = passed >= Self.period
    let (new, old) = isOver ? (0, bytes) : (bytes, bytesBefore)
    let share = (isOver ? passed - Self.period : passed) / Self.period
    let counted = Double(new) + Double(old) * (1 - share)
    let time = min(max(now - begun, Self.leastTime), Self.period)
    return Int(counted / (time / .seconds(1)))
  }

  private init(begun: Duration, latest: Int?) {
    self.begun = begun
    self.start = begun
    self.latest = latest
  }
}
