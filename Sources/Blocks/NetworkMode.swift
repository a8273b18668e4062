/// The network mode: whether the user allows fetches. The control socket uses the same values.
package enum NetworkMode: String, Hashable, Codable, Sendable, CaseIterable {
  case online
  /// Nothing is fetched; a read of missing bytes waits until fetching is allowed again.
  case paused
  /// Nothing is fetched; a read of missing bytes fails at once.
  case offline
}
