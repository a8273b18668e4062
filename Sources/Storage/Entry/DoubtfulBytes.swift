import Blocks

/// The first bytes of a block, or all of them, that were written and may not be on the disk.
struct DoubtfulBytes: Hashable, Sendable {
  let block: BlockIndex
  let count: Int
  /// Of these bytes; nil: nobody knows.
  let checksum: UInt32?

  /// Whether `bytes`, which begin with the first of the block, are these.
  func agree(with bytes: RawSpan) -> Bool {
    CRC32C(of: bytes.extracting(first: count)).value == checksum
  }
}
