/// The feed of a mount.
package struct FeedStatus: Hashable, Codable, Sendable {
  package var title: String
  package var address: String
  /// When its page was last read or confirmed, in seconds since 1970; null: never.
  package var refreshed: Int?
  /// Why the last refresh failed; null: it did not.
  package var error: String?

  package init(title: String, address: String, refreshed: Int?, error: String?) {
    self.title = title
    self.address = address
    self.refreshed = refreshed
    self.error = error
  }
}
