/// One scheme, host and port that was asked.
package struct OriginStatus: Hashable, Codable, Sendable {
  package var origin: String
  /// In words: "reachable", "unreachable: connection refused, next probe in 2 s".
  package var state: String
  package var lastError: String?
  package var requests: Int
  package var bytes: Int

  package init(origin: String, state: String, lastError: String?, requests: Int, bytes: Int) {
    self.origin = origin
    self.state = state
    self.lastError = lastError
    self.requests = requests
    self.bytes = bytes
  }
}
