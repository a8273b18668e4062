/// Chooses the requests to ask a second time, over a new connection: those on a reused one that
/// have no head after four times the usual time, 1 s at least, and never more than 3 s over the
/// usual.
///
/// A value. Each request gets one second ask. Of an origin's requests, one in ten gets one, plus
/// one at the start. None gets one for an hour after the origin answered 429 or 503.
struct SecondAsks {
  typealias Instant = ContinuousClock.Instant

  /// The times when requests were sent over reused connections, without a head or a second ask yet.
  private var waiting: [TransferID: Instant] = [:]
  /// The budget of second asks, in tenths of a request.
  private var credit = cost
  private var forbiddenUntil: Instant?

  mutating func started() {
    credit = min(credit + 1, Self.maxCredit)
  }

  /// Notes that the request of `id` went over a reused connection.
  mutating func sent(_ id: TransferID, at now: Instant) {
    waiting[id] = now
  }

  /// Notes that the head of `id` came, or that `id` has ended.
  mutating func settled(_ id: TransferID) {
    waiting[id] = nil
  }

  /// Restarts the waits: the thread was held up, and could hear nothing until now.
  mutating func heldUp(at now: Instant) {
    for id in waiting.keys { waiting[id] = now }
  }

  mutating func wasTooMuch(at now: Instant) {
    forbiddenUntil = now + .seconds(3600)
  }

  /// Returns the requests to ask again now.
  mutating func due(usually latency: Duration?, at now: Instant) -> [TransferID] {
    guard isAllowed(at: now) else { return [] }
    let late = waiting.filter { $0.value + Self.timeout(latency) <= now }
      .sorted { ($0.value, $0.key.number) < ($1.value, $1.key.number) }
      .prefix(credit / Self.cost).map(\.key)
    for id in late { waiting[id] = nil }
    credit -= late.count * Self.cost
    return late
  }

  /// Returns the next time at which `due` names a request; nil: not before another event.
  func next(usually latency: Duration?, after now: Instant) -> Instant? {
    guard isAllowed(at: now), credit >= Self.cost else { return nil }
    return waiting.values.min().map { $0 + Self.timeout(latency) }
  }

  /// Returns the timeout for a head: four times the usual time, or 3 s more than the usual where
  /// four times would be too long for reading to go on in time (L4); 1 s at least.
  static func timeout(_ latency: Duration?) -> Duration {
    let usual = latency ?? .zero
    return max(.seconds(1), min(usual * 4, usual + .seconds(3)))
  }

  private func isAllowed(at now: Instant) -> Bool {
    forbiddenUntil.map { $0 <= now } ?? true
  }

  private static let cost = 10
  /// The largest budget: savings allow a burst of four requests, in tenths.
  private static let maxCredit = 4 * cost
}
