/// What is known of an origin.
struct OriginStatus: Hashable, Sendable {
  typealias Instant = ContinuousClock.Instant

  enum Reach: Hashable, Sendable {
    case unknown
    case reachable
    /// - Parameter probes: how many were sent since.
    case unreachable(reason: String, nextProbe: Instant, probes: Int)
  }

  var reach = Reach.unknown
  /// The origin asked that nothing be sent before.
  var closedUntil: Instant?
  var lastError: String?
  var requests = 0
  /// Of bodies, as they were received.
  var bytes = 0

  func words(at now: Instant) -> String {
    if let closedUntil, closedUntil > now {
      return "asked us to wait \((closedUntil - now).inWords)"
    }
    switch reach {
    case .unknown: return "not asked yet"
    case .reachable: return "reachable"
    case .unreachable(let reason, let nextProbe, _) where nextProbe > now:
      return "unreachable: \(reason), next probe in \((nextProbe - now).inWords)"
    case .unreachable(let reason, _, _):
      return "unreachable: \(reason)"
    }
  }
}

/// An origin as the status shows it.
package struct OriginReport: Hashable, Sendable {
  /// `scheme://host:port`.
  package let origin: String
  /// "reachable", "unreachable: connection refused, next probe in 2 s", …
  package let state: String
  package let isReachable: Bool
  package let lastError: String?
  package let requests: Int
  package let bytes: Int

  init(_ name: OriginName, _ status: OriginStatus, at now: ContinuousClock.Instant) {
    origin = name.description
    state = status.words(at: now)
    if case .unreachable = status.reach { isReachable = false } else { isReachable = true }
    lastError = status.lastError
    requests = status.requests
    bytes = status.bytes
  }
}
