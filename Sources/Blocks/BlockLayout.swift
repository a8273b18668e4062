/// Divides a version into blocks of equal size. Only the last block can be shorter.
package struct BlockLayout: Hashable, Sendable {
  /// The size of a block in the cache, in bytes. It is small enough for a cheap seek, and so large
  /// that a checksum and a bit for each block cost almost nothing.
  package static let standardBlockSize = 64 << 10

  /// The number of bytes of the whole version.
  package let length: Int
  /// The number of bytes of a block.
  package let blockSize: Int

  package init(length: Int, blockSize: Int = standardBlockSize) {
    precondition(length >= 0 && blockSize > 0)
    self.length = length
    self.blockSize = blockSize
  }

  /// The number of blocks.
  @inlinable
  package var count: Int {
    length / blockSize + (length % blockSize == 0 ? 0 : 1)
  }

  /// Every block.
  package var all: Range<BlockIndex> {
    BlockIndex(0)..<BlockIndex(count)
  }

  /// The block that contains the byte at `offset`.
  @inlinable
  package func block(at offset: Int) -> BlockIndex {
    BlockIndex(offset / blockSize)
  }

  /// The blocks that contain at least one byte of `bytes`.
  @inlinable
  package func blocks(touching bytes: ByteRange) -> Range<BlockIndex> {
    let bytes = bytes.clamped(to: 0..<length)
    guard !bytes.isEmpty else { return BlockIndex(0)..<BlockIndex(0) }
    return block(at: bytes.lowerBound)..<block(at: bytes.upperBound - 1).advanced(by: 1)
  }

  /// The bytes of `blocks`, cut at the end of the version.
  @inlinable
  package func bytes(of blocks: Range<BlockIndex>) -> ByteRange {
    let start = min(blocks.lowerBound.value * blockSize, length)
    return start..<max(start, min(blocks.upperBound.value * blockSize, length))
  }

  /// The bytes of one block, cut at the end of the version.
  @inlinable
  package func bytes(of block: BlockIndex) -> ByteRange {
    bytes(of: block..<block.advanced(by: 1))
  }
}

/// The position of a block within a version; block 0 starts at byte 0.
///
/// All functions here are inlined into other modules. A read of cached bytes compares some twenty
/// positions. If each comparison were a call, the calls would be a tenth of the read's
/// instructions.
package struct BlockIndex: Hashable, Strideable, Sendable {
  package let value: Int

  @inlinable
  package init(_ value: Int) {
    self.value = value
  }

  @inlinable
  package func distance(to other: Self) -> Int {
    other.value - value
  }

  @inlinable
  package func advanced(by count: Int) -> Self {
    Self(value + count)
  }

  @inlinable
  package static func == (left: Self, right: Self) -> Bool { left.value == right.value }

  @inlinable
  package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

/// A half-open range of bytes of one version.
package typealias ByteRange = Range<Int>
