/// The progress of the files for which a command waits.
package struct FetchProgress: Hashable, Codable, Sendable {
  package struct File: Hashable, Codable, Sendable {
    package var name: String
    /// The file's size in bytes, as proved, or else as the feed claims; null if unknown.
    package var size: Int?
    /// The number of the file's bytes that are in the cache.
    package var cached: Int
    package var isComplete: Bool
    /// The reason why no bytes of the file arrive; null if they do, or if the reason is unknown.
    package var reason: String?
    /// True if it is of no use to wait for the file, because of `reason`.
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
  /// The reason why nothing can be cached at the moment; null if there is none.
  package var problem: String?

  package init(files: [File], problem: String?) {
    self.files = files
    self.problem = problem
  }
}
