/// The progress of files that a command waits for.
package struct FetchProgress: Hashable, Codable, Sendable {
  package struct File: Hashable, Codable, Sendable {
    package var name: String
    /// Size in bytes, as proved, else as the feed claims; null: unknown.
    package var size: Int?
    /// Bytes in the cache.
    package var cached: Int
    package var isComplete: Bool
    /// Why the file does not come; null: it does, or the reason is unknown.
    package var reason: String?
    /// Whether waiting is of no use, for this reason.
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
  /// Why nothing can be cached at the moment; null: it can.
  package var problem: String?

  package init(files: [File], problem: String?) {
    self.files = files
    self.problem = problem
  }
}
