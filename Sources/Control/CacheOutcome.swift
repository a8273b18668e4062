/// What became of the files that something was done with.
package struct CacheOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// The names of those with which it was done.
  package var files: [String] = []
  /// Bytes of the disk that are free now, or will be when nobody reads them any more.
  package var freed = 0
  /// Those that were left alone because they are pinned.
  package var pinned: [String] = []

  package init() {}
}
