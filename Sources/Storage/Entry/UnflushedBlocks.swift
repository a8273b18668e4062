import Blocks

/// Blocks that are held and not known to be on the disk, with their checksums.
struct UnflushedBlocks: Sendable {
  private(set) var blocks: BlockSet
  /// Of all but those that an unclean stop left and nobody has compared yet.
  private var checksums: [BlockIndex: UInt32] = [:]

  init(_ blocks: BlockSet = BlockSet()) {
    self.blocks = blocks
  }

  var isEmpty: Bool { blocks.isEmpty }

  func contains(_ block: BlockIndex) -> Bool {
    blocks.contains(block)
  }

  func checksum(of block: BlockIndex) -> UInt32? {
    checksums[block]
  }

  mutating func insert(_ block: BlockIndex, _ checksum: UInt32) {
    blocks.insert(block)
    checksums[block] = checksum
  }

  /// Notes the checksum of `block` if it is one of these.
  mutating func know(_ checksum: UInt32, of block: BlockIndex) {
    if blocks.contains(block) { checksums[block] = checksum }
  }

  mutating func remove(_ gone: Range<BlockIndex>) {
    for run in blocks.runs(in: gone) {
      for block in run { checksums[block] = nil }
    }
    blocks.remove(gone)
  }
}

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
