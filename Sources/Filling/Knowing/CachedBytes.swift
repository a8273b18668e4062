import Blocks

/// The bytes of one version that the store has: complete blocks, and the beginnings of others.
struct CachedBytes: Sendable {
  /// The complete blocks.
  var whole: BlockSet
  /// The number of bytes that have come of each block that is not complete.
  private(set) var partial: [BlockIndex: Int] = [:]
  /// True if the store has evicted blocks to make room for new ones.
  var isEvicting = false

  init(whole: BlockSet = BlockSet()) {
    self.whole = whole
  }

  var isEmpty: Bool { whole.isEmpty && partial.isEmpty }

  /// Returns the offset after the bytes of `block` that have come.
  func end(of block: BlockIndex, in layout: BlockLayout) -> Int {
    let inBlock = layout.bytes(of: block)
    return whole.contains(block)
      ? inBlock.upperBound : inBlock.lowerBound + partial[block, default: 0]
  }

  /// Returns the offset of the first byte of `range` that is not cached; nil if all are. Allocates
  /// nothing.
  func firstMissing(in range: ByteRange, of layout: BlockLayout) -> Int? {
    var blocks = layout.blocks(touching: range)
    while let missing = whole.firstMissing(in: blocks) {
      let inBlock = layout.bytes(of: missing)
      let known = inBlock.lowerBound + partial[missing, default: 0]
      guard known >= min(range.upperBound, inBlock.upperBound) else {
        return max(known, range.lowerBound)
      }
      blocks = missing.advanced(by: 1)..<blocks.upperBound
    }
    return range.upperBound > layout.length ? layout.length : nil
  }

  /// Returns how many bytes from `offset` on are cached without a gap.
  func ready(from offset: Int, in layout: BlockLayout) -> Int {
    guard offset < layout.length else { return 0 }
    let blocks = layout.block(at: offset)..<layout.all.upperBound
    guard let missing = whole.firstMissing(in: blocks) else { return layout.length - offset }
    return max(0, end(of: missing, in: layout) - offset)
  }

  /// Returns the part of `bytes` that the store can take. It leaves out leading bytes that are
  /// already cached, or that do not follow the cached bytes of their block.
  func accepted(of bytes: ByteRange, in layout: BlockLayout) -> ByteRange {
    var start = bytes.lowerBound
    while start < bytes.upperBound {
      let block = layout.block(at: start)
      let inBlock = layout.bytes(of: block)
      let known = inBlock.lowerBound + partial[block, default: 0]
      if !whole.contains(block), start <= known {
        start = max(start, known)
        break
      }
      start = inBlock.upperBound
    }
    return min(start, bytes.upperBound)..<bytes.upperBound
  }

  /// Notes that the store now has those of `bytes` that lie in `block`. Returns how many of them
  /// are new.
  mutating func keep(_ bytes: ByteRange, of block: BlockIndex, in layout: BlockLayout) -> Int {
    let inBlock = layout.bytes(of: block)
    let piece = bytes.clamped(to: inBlock)
    let known = partial[block, default: 0]
    let start = piece.lowerBound - inBlock.lowerBound
    // The store follows the same rule. It takes bytes that begin a block, even if it already has
    // bytes of that block. It also takes bytes that follow its bytes of a block. It ignores all
    // others.
    guard start == 0 || start == known else { return 0 }
    let count = piece.upperBound - inBlock.lowerBound
    if count == inBlock.count {
      whole.insert(block)
      partial[block] = nil
    } else {
      partial[block] = count
    }
    return max(0, count - known)
  }

  /// Notes that the store has lost `blocks`.
  mutating func forget(_ blocks: some Sequence<BlockIndex>) {
    for block in blocks {
      whole.remove(block)
      partial[block] = nil
    }
  }
}
