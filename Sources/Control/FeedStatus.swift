/// One feed of a mount.
package struct FeedStatus: Hashable, Codable, Sendable {
  /// The name of its folder in the mount; empty if the feed is at the root of the mount.
  package var folder: String
  package var title: String
  package var address: String
  /// The address at which it is read now, because it has moved; null if it is read at `address`.
  package var movedTo: String?
  /// A move that was announced and is not followed, with the reason; null if there is none.
  package var move: String?
  /// Entries that are listed.
  package var entries: Int
  /// Entries that rules leave out; null if there are none.
  package var leftOut: Int?
  /// Pages of the feed that were read.
  package var pages: Int
  /// The reason why there are no further pages; null if there may be more.
  package var end: String?
  /// The time of the last read or confirmation, in seconds since 1970; null if it was never read.
  package var refreshed: Int?
  /// The reason why the last refresh failed; null if it succeeded.
  package var error: String?
  /// Seconds until the next try; null if nothing has failed.
  package var retryIn: Double?
  /// The number of new entries that are listed once they are on the disk; null if none waits.
  package var waiting: Int?
  /// The reason why the catalog cannot be saved; null if it can.
  package var unsaved: String?
  /// True if the user does not subscribe to it any more. It goes as soon as nothing of it is open.
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
