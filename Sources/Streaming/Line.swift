/// Whether anything may be fetched, as the user says.
package enum Line: Hashable, Sendable {
  case open
  /// Nothing is fetched, and who reads what is missing waits until that may be.
  case paused
  /// Nothing is fetched, and who reads what is missing is told at once.
  case offline
}
