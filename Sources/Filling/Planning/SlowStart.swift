/// Finds out whether new connections start slowly, from the first round trips of an answer.
///
/// TCP sends about ten packets in the first round trip of a new connection, and doubles that number
/// with each further round trip (RFC 6928, RFC 5681 §3.1). So a new connection brings little for
/// several round trips, and a warm one is worth keeping busy.
struct SlowStart: Sendable {
  /// True if an answer was seen to start slowly.
  private(set) var isSeen: Bool
  /// The time at which the watched answer began; nil if none is watched.
  private var begun: Duration?
  /// The number of bytes that came in the first round trip of the watched answer.
  private var first = 0
  /// The index of the current round trip, and the number of bytes that came in it.
  private var current = (trip: 0, bytes: 0)

  /// The number of bytes that slow start brings in the first round trip. Fewer bytes show nothing,
  /// and more bytes show that there is no slow start.
  private static let start = (8 << 10)..<(48 << 10)
  /// In slow start, a later round trip brings more bytes than the first one by at least this
  /// factor.
  private static let growth = 1.6
  /// The number of round trips that are watched. There are more than two, because on a busy machine
  /// the bytes of several round trips may come together.
  private static let trips = 4
  /// The share of its time after which the first round trip counts as over, because packets of the
  /// second one may come early.
  private static let end = 0.9

  init(isSeen: Bool) {
    self.isSeen = isSeen
  }

  /// Notes that an answer began. It is watched, unless slow start was seen before.
  mutating func began(at now: Duration) {
    begun = isSeen ? nil : now
    first = 0
    current = (0, 0)
  }

  /// Counts bytes of the watched answer. `latency` is the length of a round trip. `isAlone` is
  /// false if other fetches share the line. Then the answer is no longer watched.
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
