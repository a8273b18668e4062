/// Watches the first round trips of an answer for slow start.
///
/// TCP sends about ten packets in the first round trip of a new connection, and twice as many in
/// each one after it (RFC 6928, RFC 5681 §3.1). So a new connection brings little for several round
/// trips, and one that is warm is worth keeping busy.
struct SlowStart: Sendable {
  /// True if an answer was seen to start slowly.
  private(set) var isSeen: Bool
  private var begun: Duration?
  /// Bytes of the first round trip.
  private var first = 0
  /// The number of the current round trip, and its bytes.
  private var current = (trip: 0, bytes: 0)

  /// Bytes of the first round trip in slow start. Fewer are not conclusive, and more are no slow
  /// start.
  private static let start = (8 << 10)..<(48 << 10)
  /// The factor by which a later round trip brings more.
  private static let growth = 1.6
  /// The number of round trips that are watched. A machine that is busy sees some of them as one.
  private static let trips = 4
  /// The end of the first round trip, as a share of it. Packets of the second one may be early.
  private static let end = 0.9

  init(isSeen: Bool) {
    self.isSeen = isSeen
  }

  /// Notes that an answer began.
  mutating func began(at now: Duration) {
    begun = isSeen ? nil : now
    first = 0
    current = (0, 0)
  }

  /// Counts bytes of the answer. `latency` is a round trip. Bytes that share the line with other
  /// fetches (not `isAlone`) do not count.
  mutating func arrived(_ bytes: Int, isAlone: Bool, latency: Duration, at now: Duration) {
    guard let begun else { return }
    let trip = (now - begun) / max(latency, .microseconds(1)) + 1 - Self.end
    guard isAlone, trip < Double(Self.trips) else { return stop() }
    guard trip >= 1 else {
      first += bytes
      return
    }
    if current.trip != Int(trip) { current = (Int(trip), 0) }
    current.bytes += bytes
    guard Self.start.contains(first) else { return stop() }
    guard Double(current.bytes) >= Double(first) * Self.growth else { return }
    isSeen = true
    stop()
  }

  /// Stops watching, because the answer has ended.
  mutating func stop() {
    begun = nil
  }
}
