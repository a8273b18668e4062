/// What is kept of some feeds.
package struct CacheListing: Hashable, Codable, Sendable {
  package var schema = 1
  /// The cache directory.
  package var path: String
  /// What the feeds' folders in it are called.
  package var feeds: [String]
  package var files: [CacheItem]

  package init(path: String, feeds: [String], files: [CacheItem]) {
    self.path = path
    self.feeds = feeds
    self.files = files
  }
}

/// An entry of which something is kept, or to be kept.
package struct CacheItem: Hashable, Codable, Sendable {
  /// As in the mount; of what no feed lists any more the beginning of the name of its files.
  package var name: String
  package var title: String
  /// Bytes, as proved, else as the feed claims; null: unknown.
  package var size: Int?
  /// Bytes that can be read without a network.
  package var cached: Int
  /// Bytes that its files take up on the disk, of all its versions.
  package var stored: Int
  package var isPinned: Bool
  package var isListed: Bool
  /// Seconds since 1970; null: never.
  package var used: Int?
  /// The file that holds the bytes, at their places; null: none.
  package var path: String?

  package init(name: String, title: String, isPinned: Bool = false, isListed: Bool = true) {
    self.name = name
    self.title = title
    self.isPinned = isPinned
    self.isListed = isListed
    cached = 0
    stored = 0
  }

  /// Whether the file at `path` is all there is of it.
  package var isComplete: Bool { size == cached && path != nil }
}
