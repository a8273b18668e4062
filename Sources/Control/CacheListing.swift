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
