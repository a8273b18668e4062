/// One file of a mount.
package struct FileStatus: Hashable, Codable, Sendable {
  package enum State: String, Hashable, Codable, Sendable {
    /// Every byte is in the cache.
    case complete
    /// Bytes are on their way.
    case filling
    /// A reader waits, and nothing is on its way.
    case waiting
    /// Some bytes are in the cache.
    case partial
    /// No byte is in the cache.
    case empty
  }

  package var name: String
  package var title: String
  /// Bytes, as proved, else as the feed claims; null: unknown.
  package var size: Int?
  /// Bytes in the cache.
  package var cached: Int
  package var state: State

  package init(name: String, title: String, size: Int?, cached: Int, state: State) {
    self.name = name
    self.title = title
    self.size = size
    self.cached = cached
    self.state = state
  }
}
