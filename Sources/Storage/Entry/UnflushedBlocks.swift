import Blocks

/// Cached blocks that are perhaps not on the disk, with their checksums.
struct UnflushedBlocks: Sendable {
  private(set) var blocks: BlockSet
  /// The checksums of the blocks. A block that an unclean stop left has no checksum here until it
  /// is compared.
  private var checksums = BlockChecksums()

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

  /// Removes `others` from this set, and returns the removed blocks with their checksums.
  mutating func taking(_ others: BlockSet, of layout: BlockLayout) -> Self {
    var taken = Self()
    for block in others.runs(in: layout.all).joined() where blocks.contains(block) {
      taken.blocks.insert(block)
      taken.checksums[block] = checksums[block]
    }
    for run in taken.blocks.runs(in: layout.all) { remove(run) }
    return taken
  }

  mutating func remove(_ gone: Range<BlockIndex>) {
    for run in blocks.runs(in: gone) {
      for block in run { checksums[block] = nil }
    }
    blocks.remove(gone)
  }
}

/// The first `count` bytes of a block: they came, but are perhaps not on the disk.
struct DoubtfulBytes: Hashable, Sendable {
  let block: BlockIndex
  let count: Int
  /// The checksum of these bytes; nil if it is not known.
  let checksum: UInt32?

  /// True if the first `count` of `bytes` agree with the checksum. `bytes` must start with the
  /// block's first byte.
  func agree(with bytes: RawSpan) -> Bool {
    CRC32C(of: bytes.extracting(first: count)).value == checksum
  }
}
