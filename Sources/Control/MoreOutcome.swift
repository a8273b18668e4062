/// What reading the next page came to.
package struct MoreOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// Entries that are new.
  package var added: Int
  /// Why there is no further page; null: there may be.
  package var end: String?
  /// Why pages could not be read, a sentence each.
  package var errors: [String]

  package init(added: Int, end: String?, errors: [String]) {
    self.added = added
    self.end = end
    self.errors = errors
  }
}
