/// The status of one feed of a mount.
package struct FeedStatus: Hashable, Codable, Sendable {
  /// The name of the feed's folder in the mount; empty if the feed is at the root of the mount.
  package var folder: String
  package var title: String
  package var address: String
  /// The address at which the feed is read now, because it has moved; null if it is read at
  /// `address`.
  package var movedTo: String?
  /// A move that the publisher has announced and that feedfs does not follow, with the reason; null
  /// if there is none.
  package var move: String?
  /// The number of listed entries.
  package var entries: Int
  /// The number of entries that rules leave out; null if there are none.
  package var leftOut: Int?
  /// The number of pages of the feed that were read.
  package var pages: Int
  /// The reason why the feed has no further pages; null if it can have more.
  package var end: String?
  /// The time when the feed was last read, or confirmed as unchanged, in seconds since 1970; null
  /// if it was never read.
  package var refreshed: Int?
  /// The reason why the last refresh failed; null if it succeeded.
  package var error: String?
  /// Seconds until the next try to refresh the feed; null if no refresh has failed.
  package var retryIn: Double?
  /// The number of new entries that wait: they are listed once the catalog on the disk has them.
  /// Null if none waits.
  package var waiting: Int?
  /// The reason why the catalog cannot be saved; null if it can be saved.
  package var unsaved: String?
  /// True if the user does not subscribe to the feed any more. The feed leaves the mount as soon as
  /// no file of it is open.
  package var leaving: Bool?

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
  /// The unsaved changes in words: "12 new entries are not listed yet: the catalog is not saved: …";
  /// nil if there are none.
  package var unsavedWords: String? {
    guard unsaved != nil || waiting != nil else { return nil }
    let entries =
      waiting.map {
        $0 == 1 ? "1 new entry is not listed yet: " : "\($0) new entries are not listed yet: "
      } ?? ""
    return "\(entries)the catalog is not saved\(unsaved.map { ": \($0)" } ?? " yet")"
  }
}
