/// What the cache has of a representation.
package struct Holding: Hashable, Sendable {
  /// Of the blocks that are whole.
  package var bytes: Int
  /// As `EntryFile.isSound`.
  package var isSound: Bool

  package init(bytes: Int, isSound: Bool) {
    self.bytes = bytes
    self.isSound = isSound
  }
}
