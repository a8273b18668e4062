/// The condition of an origin. The values are those of the control socket.
package enum OriginCondition: String, Hashable, Codable, Sendable, CaseIterable {
  /// No request has ended yet.
  case unknown
  case reachable
  /// The origin asked for a pause, and is not asked for anything until its end.
  case waiting
  case unreachable
}
