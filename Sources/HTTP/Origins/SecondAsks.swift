/// Which requests are asked a second time, over a new connection: those on a kept one that have no head
/// after four times what is usual, and after a second at least.
///
/// A value. Each is asked again once; of all requests of an origin one in ten at most, and one at the
/// start; and none for an hour after the origin has said that it is asked too much.
struct SecondAsks {
  typealias Instant = ContinuousClock.Instant

  /// The requests on kept connections without a head, which were not asked again, and when they were sent.
  private var waiting: [TransferID: Instant] = [:]
  /// The allowance of second requests, in tenths of a request.
  private var credit = cost
  private var forbiddenUntil: Instant?

  mutating func started() {
    credit = min(credit + 1, Self.mostCredit)
  }

  /// The request of `id` went over a kept connection.
  mutating func sent(_ id: TransferID, at now: Instant) {
    waiting[id] = now
  }

  /// Its head came, or it has ended.
  mutating func settled(_ id: TransferID) {
    waiting[id] = nil
  }

  /// Nothing could be heard until now, since nobody listened.
  mutating func heldUp(at now: Instant) {
    for id in waiting.keys { waiting[id] = now }
  }

  mutating func wasTooMuch(at now: Instant) {
    forbiddenUntil = now + .seconds(3600)
  }

  /// Requests to ask again now.
  mutating func due(usually latency: Duration?, at now: Instant) -> [TransferID] {
    guard isAllowed(at: now) else { return [] }
    let late = waiting.filter { $0.value + Self.patience(latency) <= now }
      .sorted { ($0.value, $0.key.number) < ($1.value, $1.key.number) }
      .prefix(credit / Self.cost).map(\.key)
    for id in late { waiting[id] = nil }
    credit -= late.count * Self.cost
    return late
  }

  /// When `due` has something to say next; nil: not before another event.
  func next(usually latency: Duration?, after now: Instant) -> Instant? {
    guard isAllowed(at: now), credit >= Self.cost else { return nil }
    return waiting.values.min().map { $0 + Self.patience(latency) }
  }

  /// How long a head is waited for: where four times the usual would be longer than it may take until reading
  /// goes on (L4), for 3 s more than the usual.
  static func patience(_ latency: Duration?) -> Duration {
    let usual = latency ?? .zero
    return max(.seconds(1), min(usual * 4, usual + .seconds(3)))
  }

  private func isAllowed(at now: Instant) -> Bool {
    forbiddenUntil.map { $0 <= now } ?? true
  }

  private static let cost = 10
  /// An allowance that was saved for long makes no burst: four requests, in tenths.
  private static let mostCredit = 4 * cost
}
