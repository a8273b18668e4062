/// Whether a mount may ask its origins for anything.
package enum Mode: String, Hashable, Codable, Sendable, CaseIterable {
  case online
  /// Nothing is fetched; who reads what is missing waits until it goes on.
  case paused
  /// Nothing is fetched; who reads what is missing gets an error at once.
  case offline
}
