package import Blocks

/// A store for the bytes of one version.
///
/// Writes come from one thread, the origin's; lends come from any thread.
package protocol BlockStore: Sendable {
  /// The complete blocks that the store had from the start.
  var held: BlockSet { get }

  /// Stores `bytes`, which start a block or continue one where it stopped.
  ///
  /// Bytes at the start of a block that has begun already begin it anew. Bytes of a complete block
  /// change nothing. Returns the blocks that were evicted for these bytes, which may include blocks
  /// of `bytes`.
  func write(_ bytes: RawSpan, at offset: Int) -> WriteOutcome

  /// Suspect ranges, as last passed to `suspect`, also at an earlier time.
  var suspects: [ByteRange] { get }

  /// Replaces the suspect ranges. The store lends suspect bytes all the same.
  func suspect(_ ranges: [ByteRange])

  /// Whether `bytes` equal the cached bytes from `offset` on; nil: those are not cached.
  func agrees(_ bytes: RawSpan, at offset: Int) -> Bool?

  /// Forgets `blocks`, whose bytes are wrong.
  func forget(_ blocks: Range<BlockIndex>)

  /// Lends `range` to `body` for the time of the call. `body` returns false if it could not take
  /// the bytes. Does not wait for a disk.
  func lend(_ range: ByteRange, to body: (RawSpan) -> Bool) -> LendOutcome

  /// Reads `range` from the disk and lends it to `body`, on another thread. If blocks are missing
  /// or are not what was written, calls `lost` there with them instead.
  func lendFromDisk(
    _ range: ByteRange, to body: @escaping @Sendable (RawSpan) -> Void,
    orLose lost: @escaping @Sendable ([BlockIndex]) -> Void)
}

package enum WriteOutcome: Equatable, Sendable {
  case kept
  /// These blocks were evicted; some may belong to the new bytes. All others are cached.
  case displaced([BlockIndex])

  var displaced: [BlockIndex] {
    switch self {
    case .kept: []
    case .displaced(let blocks): blocks
    }
  }
}

package enum LendOutcome: Equatable, Sendable {
  case lent
  /// These blocks are missing, or are not what was written.
  case lost([BlockIndex])
  /// The bytes must be read from the disk (`lendFromDisk`), which may take any time.
  case onDisk
}
