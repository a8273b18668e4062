import Addresses
package import Blocks

/// The state of an origin, and figures about the requests to it.
struct OriginStatus: Hashable, Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The known reachability of the origin.
  enum Reach: Hashable, Sendable {
    case unknown
    case reachable
    /// - Parameter probes: the number of probes since the origin became unreachable.
    case unreachable(reason: String, nextProbe: Instant, probes: Int)
  }

  var reach = Reach.unknown
  /// True if the last request got no answer, although the origin counts as reachable.
  var isInDoubt = false
  /// The end of the pause that the origin asked for; nil if it asked for none.
  var closedUntil: Instant?
  var lastError: String?
  var requests = 0
  /// The bytes of heads and bodies. A body that libcurl unpacks counts with its unpacked length.
  var bytes = 0
  /// The number of requests whose answers were missing or wrong.
  var failures = 0
  /// The smoothed time from a request to the head of its answer.
  private(set) var latency: Duration?
  private var throughput = Throughput()
  /// An estimate of the number of open connections without a transfer. A transfer that ends well
  /// leaves its connection open.
  private(set) var idle = 0
  /// The time when a transfer last left its connection open.
  private var idleSince: Instant?
  /// The time when the first bytes came.
  private var since: Instant?

  /// Notes that the head of an answer came, after the time `waited` since its request. Smooths
  /// these times as RFC 6298 §2 does.
  mutating func answered(after waited: Duration) {
    latency = latency.map { $0 * 7 / 8 + waited / 8 } ?? waited
  }

  mutating func received(_ count: Int, at now: Instant) {
    let since = since ?? now
    self.since = since
    bytes += count
    throughput.arrived(count, at: now - since)
  }

  /// Notes the number of open connections without a transfer. `now` is given if a transfer has just
  /// left its connection open.
  mutating func keep(_ count: Int, at now: Instant? = nil) {
    idle = count
    if let now { idleSince = now }
  }

  /// Returns how many further transfers would find an open connection. If nothing has come for
  /// long, the origin has perhaps closed its connections, so none counts.
  func spareConnections(at now: Instant) -> Int {
    idleSince.map { now - $0 < Self.keepAlive ? idle : 0 } ?? 0
  }

  /// The time for which origins keep an idle connection, less a second. Among the common servers,
  /// Apache and Node keep one for the shortest time, 5 s.
  static let keepAlive = Duration.seconds(4)

  /// Returns two rates in bytes a second: the present rate, and the rate when bytes last came.
  func rates(at now: Instant) -> (now: Int, latest: Int?) {
    (since.map { throughput.rate(at: now - $0) } ?? 0, throughput.latest)
  }

  func condition(at now: Instant) -> OriginCondition {
    if let closedUntil, closedUntil > now { return .waiting }
    return switch reach {
    case .reachable where !isInDoubt: .reachable
    case .unknown, .reachable: .unknown
    case .unreachable: .unreachable
    }
  }

  /// Describes the condition for people.
  func words(at now: Instant) -> String {
    if let closedUntil, closedUntil > now {
      return "asked feedfs to wait \((closedUntil - now).inWords)"
    }
    switch reach {
    case .unknown: return "not asked yet"
    case .reachable: return isInDoubt ? "gave no answer to the last request" : "reachable"
    case .unreachable(let reason, let nextProbe, _) where nextProbe > now:
      return "unreachable: \(reason), next try in \((nextProbe - now).inWords)"
    case .unreachable(let reason, _, _):
      return "unreachable: \(reason)"
    }
  }
}

extension OriginStatus {
  /// Returns the reason why the origin is not asked now; nil if it can be asked.
  func obstacle(at now: Instant) -> OriginReport.Obstacle? {
    if let closedUntil, closedUntil > now {
      let reason = lastError ?? "the origin asked feedfs to wait"
      return OriginReport.Obstacle(reason: reason, lasts: closedUntil - now)
    }
    guard case .unreachable(let reason, let nextProbe, _) = reach else { return nil }
    return OriginReport.Obstacle(reason: reason, lasts: max(.zero, nextProbe - now))
  }
}

/// The facts about an origin that the status of a mount shows.
package struct OriginReport: Hashable, Sendable {
  /// The name: `scheme://host:port`.
  package let origin: String
  package let condition: OriginCondition
  /// The condition as text for people: "reachable", "unreachable: connection refused, next probe in
  /// 2 s", …
  package let words: String
  package let lastError: String?
  package let requests: Int
  package let bytes: Int
  package let failures: Int
  /// The smoothed time from a request to the head of its answer.
  package let latency: Duration?
  /// The present rate in bytes a second.
  package let speed: Int
  /// The rate in bytes a second when bytes last came.
  package let throughput: Int?
  /// The reason why the origin is not asked now, and for how long; nil if it can be asked.
  package let obstacle: Obstacle?

  package struct Obstacle: Hashable, Sendable {
    package let reason: String
    package let lasts: Duration
  }

  init(_ name: OriginName, _ status: OriginStatus, at now: ContinuousClock.Instant) {
    origin = name.description
    condition = status.condition(at: now)
    words = status.words(at: now)
    lastError = status.lastError
    requests = status.requests
    bytes = status.bytes
    failures = status.failures
    latency = status.latency
    (speed, throughput) = status.rates(at: now)
    obstacle = status.obstacle(at: now)
  }
}
