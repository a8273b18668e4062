/// Watches the first two round trips of an answer for slow start.
///
/// TCP sends about ten packets in the first round trip of a new connection, and twice as many in
/// each one after it (RFC 6928, RFC 5681 §3.1). So a new connection brings little for several round
/// trips, and one that is warm is worth keeping busy.
struct SlowStart: Sendable {
  /// True if an answer was seen to start slowly.
  private(set) var isSeen: Bool
  private var begun: Duration?
  private var first = 0
  private var second = 0

  /// Bytes of the first round trip in slow start. Less is not enough to tell, and more is no start.
  private static let start = (8 << 10)..<(48 << 10)
  private static let growth = 1.6
  /// The end of the first round trip, as a share of it. Packets of the second one may be early.
  private static let end = 0.9

  init(isSeen: Bool) {
    self.isSeen = isSeen
  }

  /// Notes that an answer began.
  mutating func began(at now: Duration) {
    (begun, first, second) = (isSeen ? nil : now, 0, 0)
  }

  /// Counts bytes of the answer. `latency` is a round trip. Bytes of which others have a part
  /// (`isAlone`) tell nothing.
  mutating func arrived(_ bytes: Int, isAlone: Bool, latency: Duration, at now: Duration) {
    guard let begun else { return }
    let trips = (now - begun) / max(latency, .microseconds(1))
    guard isAlone, trips < 1 + Self.end else { return stop() }
    if trips < Self.end { first += bytes } else { second += bytes }
    guard Double(second) >= Double(first) * Self.growth else { return }
    isSeen = Self.start.contains(first)
    stop()
  }

  /// Stops watching, because the answer has ended.
  mutating func stop() {
    begun = nil
  }
}
