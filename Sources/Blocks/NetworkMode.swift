/// The network mode: what the user lets be fetched. The values are those of the control socket.
package enum NetworkMode: String, Hashable, Codable, Sendable, CaseIterable {
  case online
  /// Nothing is fetched; a read of missing bytes waits until fetching is allowed again.
  case paused
  /// Nothing is fetched; a read of missing bytes fails at once.
  case offline
}
