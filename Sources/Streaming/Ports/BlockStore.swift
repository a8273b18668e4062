package import Blocks

/// Where the bytes of one representation are kept.
///
/// Writes come from one thread, the origin's; lends from any.
package protocol BlockStore: Sendable {
  /// The whole blocks that were kept from earlier.
  var held: BlockSet { get }

  /// Keeps `bytes`, which start a block or continue one where it stopped.
  ///
  /// Bytes that start a block which is begun already begin it anew; those of a whole block are left
  /// as they are. Returns what had to go, which may be a block of these bytes.
  func write(_ bytes: RawSpan, at offset: Int) -> WriteOutcome

  /// Bytes of answers that broke off, as `suspect` was told last, at an earlier time too.
  var suspects: [ByteRange] { get }

  /// From now on these are suspect, and no others: they are lent all the same.
  func suspect(_ ranges: [ByteRange])

  /// Whether `bytes` are what is kept from `offset` on; nil: that is not there.
  func agrees(_ bytes: RawSpan, at offset: Int) -> Bool?

  /// Forgets `blocks`, which are wrong.
  func forget(_ blocks: Range<BlockIndex>)

  /// Hands `range` to `body` for the time of the call; `body` says whether it could take it. Does not wait
  /// for a disk.
  func lend(_ range: ByteRange, to body: (RawSpan) -> Bool) -> LendOutcome

  /// Hands `range`, which is on the disk, to `body` on another thread when the disk has given it; calls `lost`
  /// there instead with the blocks that are not there, or are not what was written.
  func lendFromDisk(
    _ range: ByteRange, to body: @escaping @Sendable (RawSpan) -> Void,
    orLose lost: @escaping @Sendable ([BlockIndex]) -> Void)
}

package enum WriteOutcome: Equatable, Sendable {
  case kept
  /// These blocks had to go, of which some may be of the bytes that came; all others are kept.
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
  /// These blocks are not there, or are not what was written.
  case lost([BlockIndex])
  /// It has to be read from the disk, which may take any time: `lendFromDisk`.
  case onDisk
}
