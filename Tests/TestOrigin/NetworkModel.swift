/// The network between a client and this origin, applied in user space.
struct NetworkModel: Sendable {
  /// Before the first byte of each response.
  var latency: Duration = .zero
  /// Added to the first request of each connection, as a handshake would be.
  var connect: Duration = .zero
  /// Bytes a second of each connection; 0: no limit.
  var rate = 0

  func delay(isFirst: Bool) -> Duration {
    isFirst ? latency + connect : latency
  }
}

/// Spreads a connection's bytes over time, in steps of 5 ms.
struct Pacer {
  private var next: ContinuousClock.Instant = .now

  /// Bytes of one send where no rate is set.
  private static let unlimited = 4 << 20

  /// How much may be sent at once.
  static func step(of left: Int, rate: Int) -> Int {
    min(left, rate > 0 ? max(1, rate / 200) : unlimited)
  }

  /// When the next step is due; a connection that was idle saves up no more than 2 ms.
  mutating func due(at now: ContinuousClock.Instant = .now) -> ContinuousClock.Instant {
    if next < now - .milliseconds(20) { next = now - .milliseconds(2) }
    return next
  }

  mutating func sent(_ count: Int, rate: Int) {
    if rate > 0 { next += .seconds(Double(count) / Double(rate)) }
  }
}
