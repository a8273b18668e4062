/// The network between a client and this origin, simulated in user space.
struct NetworkModel: Sendable {
  /// The delay before the first byte of each response.
  var latency: Duration = .zero
  /// An extra delay for the first request of a connection, like a handshake.
  var connect: Duration = .zero
  /// Bytes a second per connection; 0: no limit.
  var rate = 0

  func delay(isFirst: Bool) -> Duration {
    isFirst ? latency + connect : latency
  }
}

/// Spreads a connection's bytes over time, in steps of 5 ms.
struct Pacer {
  private var next: ContinuousClock.Instant = .now

  /// The most bytes per send when no rate is set.
  private static let unlimited = 4 << 20

  /// Returns how many bytes the next send may take.
  static func step(of left: Int, rate: Int) -> Int {
    min(left, rate > 0 ? max(1, rate / 200) : unlimited)
  }

  /// Returns when the next step is due; an idle connection saves up no more than 2 ms.
  mutating func due(at now: ContinuousClock.Instant = .now) -> ContinuousClock.Instant {
    if next < now - .milliseconds(20) { next = now - .milliseconds(2) }
    return next
  }

  mutating func sent(_ count: Int, rate: Int) {
    if rate > 0 { next += .seconds(Double(count) / Double(rate)) }
  }
}
