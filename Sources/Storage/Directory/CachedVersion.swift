package import Blocks

/// The files of one version of an entry, as they lie in the cache.
package struct CachedVersion: Hashable, Sendable {
  /// Before `.data` and `.idx`.
  package let name: String
  /// Whose bytes they are; nil: the index cannot be read.
  package let key: EntryKey?
  package let representation: Representation?
  /// Bytes that they take up on the disk.
  package let stored: Int
  /// Seconds since 1970, when they were written or read through last.
  package let used: Int
}
