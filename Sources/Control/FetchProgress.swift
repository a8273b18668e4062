/// How far files are that somebody waits for.
package struct FetchProgress: Hashable, Codable, Sendable {
  package struct File: Hashable, Codable, Sendable {
    package var name: String
    /// Bytes, as proved, else as the feed claims; null: unknown.
    package var size: Int?
    /// Bytes in the cache.
    package var cached: Int
    package var isComplete: Bool
    /// Why it does not come; null: it does, or nobody knows.
    package var reason: String?
    /// Whether to wait for it would be of no use, for this reason.
    package var isHopeless: Bool?

    package init(name: String, size: Int?, cached: Int, isComplete: Bool) {
      self.name = name
      self.size = size
      self.cached = cached
      self.isComplete = isComplete
    }
  }

  package var schema = 1
  package var files: [File]
  /// Why nothing is being kept at the moment; null: it is.
  package var problem: String?

  package init(files: [File], problem: String?) {
    self.files = files
    self.problem = problem
  }
}
