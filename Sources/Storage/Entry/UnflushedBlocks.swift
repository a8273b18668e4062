import Blocks

/// Cached blocks that are not known to be on the disk, with their checksums.
struct UnflushedBlocks: Sendable {
  private(set) var blocks: BlockSet
  /// The checksums; missing for blocks that an unclean stop left and that were not compared yet.
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

  /// Notes the checksum of `block` if it is in this set.
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

/// The first bytes of a block, or all of them, which were written and may not be on the disk.
struct DoubtfulBytes: Hashable, Sendable {
  let block: BlockIndex
  let count: Int
  /// The checksum of these bytes; nil: unknown.
  let checksum: UInt32?

  /// Whether `bytes`, which start with the block's first byte, agree with the checksum.
  func agree(with bytes: RawSpan) -> Bool {
    CRC32C(of: bytes.extracting(first: count)).value == checksum
  }
}
