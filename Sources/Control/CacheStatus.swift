/// The cache of a mount.
package struct CacheStatus: Hashable, Codable, Sendable {
  package var path: String
  /// Bytes of this mount that are kept.
  package var bytes: Int
  /// Bytes that all feeds and mounts together keep there; null: not counted yet.
  package var used: Int?
  /// Bytes that they may keep there; null: any number.
  package var limit: Int?
  /// Bytes that are free on its disk; null: it does not say.
  package var free: Int?
  /// Why nothing is being kept at the moment; null: it is.
  package var problem: String?

  package init(path: String, bytes: Int, problem: String?) {
    self.path = path
    self.bytes = bytes
    self.problem = problem
  }
}
