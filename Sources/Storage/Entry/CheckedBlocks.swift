package import Blocks

/// What a look at some blocks of a version came to.
package struct CheckedBlocks: Hashable, Sendable {
  /// Bytes that were compared.
  package var bytes = 0
  /// Those that did not agree with their checksums, and are held no longer.
  package var wrong: [BlockIndex] = []
  /// Where to go on; nil: that was the end.
  package var next: BlockIndex?
}
