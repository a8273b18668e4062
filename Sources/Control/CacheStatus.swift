/// The cache of a mount.
package struct CacheStatus: Hashable, Codable, Sendable {
  package var path: String
  /// Bytes of this feed that are kept.
  package var bytes: Int
  /// Why nothing is being kept at the moment; null: it is.
  package var problem: String?

  package init(path: String, bytes: Int, problem: String?) {
    self.path = path
    self.bytes = bytes
    self.problem = problem
  }
}
