/// One feed of a mount.
package struct FeedStatus: Hashable, Codable, Sendable {
  /// The name of its folder in the mount; empty: it has the mount for itself.
  package var folder: String
  package var title: String
  package var address: String
  /// Entries that are listed.
  package var entries: Int
  /// Pages of the feed that were read.
  package var pages: Int
  /// Why there are no further pages; null: there may be.
  package var end: String?
  /// When it was last read or confirmed, in seconds since 1970; null: never.
  package var refreshed: Int?
  /// Why the last refresh failed; null: it did not.
  package var error: String?
  /// Seconds until it is tried again; null: nothing has failed.
  package var retryIn: Double?

  package init(
    folder: String, title: String, address: String, entries: Int, pages: Int, end: String?,
    refreshed: Int?, error: String?
  ) {
    self.folder = folder
    self.title = title
    self.address = address
    self.entries = entries
    self.pages = pages
    self.end = end
    self.refreshed = refreshed
    self.error = error
  }
}
