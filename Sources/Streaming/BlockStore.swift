package import Blocks

/// Where the bytes of one representation are kept.
///
/// Writes come from one thread, the origin's; lends from any.
package protocol BlockStore: Sendable {
  /// The whole blocks that were kept from earlier.
  var held: BlockSet { get }

  /// Keeps `bytes`, which start a block or continue one where it stopped.
  ///
  /// Returns what had to go to make room, and whether the bytes were kept at all.
  func write(_ bytes: RawSpan, at offset: Int) -> WriteOutcome

  /// Hands `range` to `body` for the time of the call; `body` says whether it could take it.
  func lend(_ range: ByteRange, to body: (RawSpan) -> Bool) -> LendOutcome
}

package enum WriteOutcome: Equatable, Sendable {
  case kept
  /// Kept in memory, at the cost of these blocks.
  case displaced([BlockIndex])
}

package enum LendOutcome: Equatable, Sendable {
  case lent
  /// These blocks are not there, or are not what was written.
  case lost([BlockIndex])
}
