package import Blocks

/// What the cache has of a representation.
package struct Holding: Hashable, Sendable {
  /// Of the blocks that are whole.
  package var bytes: Int
  /// As `EntryFile.isSound`.
  package var isSound: Bool
  /// Where they lie, for the status, as `BlockSet.stretches` of `mostStretches`.
  package var stretches: [ByteRange]

  /// So many can be told of a file; more would be no more to be seen.
  package static let mostStretches = 256

  package init(bytes: Int, isSound: Bool, stretches: [ByteRange] = []) {
    self.bytes = bytes
    self.isSound = isSound
    self.stretches = stretches
  }
}
