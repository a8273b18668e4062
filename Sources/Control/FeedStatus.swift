/// One feed of a mount.
package struct FeedStatus: Hashable, Codable, Sendable {
  /// The name of its folder in the mount; empty: the feed has the mount for itself.
  package var folder: String
  package var title: String
  package var address: String
  /// Entries that are listed.
  package var entries: Int
  /// Pages of the feed that were read.
  package var pages: Int
  /// Why there are no further pages; null: there may be.
  package var end: String?
  /// The time of the last read or confirmation, in seconds since 1970; null: never.
  package var refreshed: Int?
  /// Why the last refresh failed; null: it did not.
  package var error: String?
  /// Seconds until the next try; null: nothing has failed.
  package var retryIn: Double?
  /// New entries that are listed once they are on the disk; null: none waits.
  package var waiting: Int?
  /// Why the catalog cannot be saved; null: it can.
  package var unsaved: String?

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

extension FeedStatus {
  /// "12 new entries wait, catalog not saved: …"; nil where there is nothing to tell.
  package var unsavedWords: String? {
    guard unsaved != nil || waiting != nil else { return nil }
    let entries = waiting.map { $0 == 1 ? "1 new entry waits, " : "\($0) new entries wait, " } ?? ""
    return "\(entries)catalog not saved\(unsaved.map { ": \($0)" } ?? " yet")"
  }
}
