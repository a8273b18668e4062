/// The cached files of some feeds.
package struct CacheListing: Hashable, Codable, Sendable {
  package var schema = 1
  /// The path of the cache directory.
  package var path: String
  /// The names of the feeds' folders in the cache directory.
  package var feeds: [String]
  package var files: [CacheItem]

  package init(path: String, feeds: [String], files: [CacheItem]) {
    self.path = path
    self.feeds = feeds
    self.files = files
  }
}

/// An entry with cached bytes, or with bytes that are to be cached.
package struct CacheItem: Hashable, Codable, Sendable {
  /// The entry's name in the mount. If no feed lists the entry, the beginning of the names of its
  /// files in the cache.
  package var name: String
  package var title: String
  /// The entry's size in bytes, as proved, or else as the feed claims; null if unknown.
  package var size: Int?
  /// The number of bytes that can be read without a network.
  package var cached: Int
  /// The bytes on the disk that the files of all versions of the entry take up.
  package var stored: Int
  package var isPinned: Bool
  /// True when the user's `keep` includes the entry; null otherwise.
  package var isKept: Bool?
  package var isListed: Bool
  /// The time when the entry was last used, in seconds since 1970; null if it was never used.
  package var used: Int?
  /// The path of the cache file that has each byte of the entry at its place; null if there is
  /// none.
  package var path: String?

  package init(name: String, title: String, isPinned: Bool = false, isListed: Bool = true) {
    self.name = name
    self.title = title
    self.isPinned = isPinned
    self.isListed = isListed
    cached = 0
    stored = 0
  }

  /// True if the file at `path` has the whole entry.
  package var isComplete: Bool { size == cached && path != nil }
}
