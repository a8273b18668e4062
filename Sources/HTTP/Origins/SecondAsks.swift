/// Chooses the requests that get a second ask, over a new connection. These requests were sent over
/// a reused connection, and have no head after `timeout(_:)`.
///
/// A value that only decides, without side effects. A request gets at most one second ask. One in
/// ten of an origin's requests can get one, and one more is allowed at the start. For an hour after
/// the origin answered 429 or 503, no request gets one.
struct SecondAsks {
  typealias Instant = ContinuousClock.Instant

  /// The requests on reused connections that have neither a head nor a second ask yet, with the
  /// times when they were sent.
  private var waiting: [TransferID: Instant] = [:]
  /// The budget of second asks, in tenths of a request. Each request that starts adds one tenth.
  private var credit = cost
  private var forbiddenUntil: Instant?

  mutating func started() {
    credit = min(credit + 1, Self.maxCredit)
  }

  /// Notes that the request of `id` went over a reused connection.
  mutating func sent(_ id: TransferID, at now: Instant) {
    waiting[id] = now
  }

  /// Notes that the head of an answer to `id` came, or that the transfer `id` has ended.
  mutating func settled(_ id: TransferID) {
    waiting[id] = nil
  }

  /// Restarts the timeouts of all requests, because the client's thread was held up and could
  /// notice no answer until now.
  mutating func heldUp(at now: Instant) {
    for id in waiting.keys { waiting[id] = now }
  }

  /// Notes that the origin answered 429 or 503. There is no second ask for an hour then.
  mutating func wasTooMuch(at now: Instant) {
    forbiddenUntil = now + .seconds(3600)
  }

  /// Returns the requests that get a second ask now.
  mutating func due(usually latency: Duration?, at now: Instant) -> [TransferID] {
    guard isAllowed(at: now) else { return [] }
    let late = waiting.filter { $0.value + Self.timeout(latency) <= now }
      .sorted { ($0.value, $0.key.number) < ($1.value, $1.key.number) }
      .prefix(credit / Self.cost).map(\.key)
    for id in late { waiting[id] = nil }
    credit -= late.count * Self.cost
    return late
  }

  /// Returns the next time at which `due` returns a request; nil if none comes before another
  /// event.
  func next(usually latency: Duration?, after now: Instant) -> Instant? {
    guard isAllowed(at: now), credit >= Self.cost else { return nil }
    return waiting.values.min().map { $0 + Self.timeout(latency) }
  }

  /// Returns the timeout for a head: four times the usual time, but at most 3 s more than usual and
  /// at least 1 s. A longer timeout would break the promise L4 in docs/internals/semantics.md.
  static func timeout(_ latency: Duration?) -> Duration {
    let usual = latency ?? .zero
    return max(.seconds(1), min(usual * 4, usual + .seconds(3)))
  }

  private func isAllowed(at now: Instant) -> Bool {
    forbiddenUntil.map { $0 <= now } ?? true
  }

  private static let cost = 10
  /// The largest budget, in tenths of a request. It allows four second asks in a row.
  private static let maxCredit = 4 * cost
}
