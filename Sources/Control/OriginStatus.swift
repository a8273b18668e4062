/// One scheme, host and port that was asked.
package struct OriginStatus: Hashable, Codable, Sendable {
  package var origin: String
  /// In words: "reachable", "unreachable: connection refused, next probe in 2 s".
  package var state: String
  package var lastError: String?
  package var requests: Int
  package var bytes: Int
  /// Requests that were not answered as they should be.
  package var failures = 0
  /// Seconds from a request to the head of its answer, smoothed; null: there was none.
  package var latency: Double?
  /// Bytes a second that come.
  package var speed = 0
  /// Bytes a second that came when some last did; null: too few for that.
  package var throughput: Int?

  package init(origin: String, state: String, lastError: String?, requests: Int, bytes: Int) {
    self.origin = origin
    self.state = state
    self.lastError = lastError
    self.requests = requests
    self.bytes = bytes
  }
}
