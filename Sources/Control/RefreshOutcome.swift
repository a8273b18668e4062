/// What reading feeds again came to.
package struct RefreshOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// Feeds that were read, or had not changed.
  package var refreshed: Int
  /// Why others could not be, a sentence each.
  package var errors: [String]

  package init(refreshed: Int, errors: [String]) {
    self.refreshed = refreshed
    self.errors = errors
  }
}
