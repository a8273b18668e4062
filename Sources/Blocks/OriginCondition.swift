/// The condition of an origin. The control socket uses the same values.
package enum OriginCondition: String, Hashable, Codable, Sendable, CaseIterable {
  /// No request has ended yet, or the origin was reachable but gave no answer to the last one.
  case unknown
  case reachable
  /// The origin asked for a pause. It gets no request before the pause ends.
  case waiting
  case unreachable
}
