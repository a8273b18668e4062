/// A set of blocks, as a bitmap of 64-bit words. Block `n` is bit `n % 64` of word `n / 64`.
///
/// The lookups (`contains`, `firstMissing`, `firstMember`) allocate nothing, so a read of cached
/// bytes can use them.
package struct BlockSet: Hashable, Sendable {
  /// The bitmap. Words at its end can be missing if they have no members.
  package private(set) var words: [UInt64]

  package init() {
    words = []
  }

  /// Creates the set that a bitmap from the disk describes.
  package init(words: [UInt64]) {
    self.words = words
  }

  package init(_ blocks: Range<BlockIndex>) {
    self.init()
    insert(blocks)
  }

  /// The number of members.
  package var count: Int {
    words.reduce(0) { $0 + $1.nonzeroBitCount }
  }

  /// Returns the number of bytes that all members have together.
  package func bytes(in layout: BlockLayout) -> Int {
    let whole = count * layout.blockSize
    guard layout.count > 0, contains(BlockIndex(layout.count - 1)) else { return whole }
    return whole - layout.count * layout.blockSize + layout.length
  }

  package var isEmpty: Bool {
    words.allSatisfy { $0 == 0 }
  }

  @inlinable
  package func contains(_ block: BlockIndex) -> Bool {
    let word = block.value >> 6
    return word < words.count && words[word] & (1 << UInt64(block.value & 63)) != 0
  }

  /// True if all of `blocks` are members.
  @inlinable
  package func contains(all blocks: Range<BlockIndex>) -> Bool {
    firstMissing(in: blocks) == nil
  }

  /// Returns the first of `blocks` that is not a member; nil if all are.
  @inlinable
  package func firstMissing(in blocks: Range<BlockIndex>) -> BlockIndex? {
    var value = blocks.lowerBound.value
    let end = blocks.upperBound.value
    while value < end {
      let missing = ~word(value >> 6) >> UInt64(value & 63)
      guard missing != 0 else {
        value = (value | 63) + 1
        continue
      }
      value += missing.trailingZeroBitCount
      return value < end ? BlockIndex(value) : nil
    }
    return nil
  }

  /// Returns the first of `blocks` that is a member; nil if none is.
  package func firstMember(in blocks: Range<BlockIndex>) -> BlockIndex? {
    var value = blocks.lowerBound.value
    let end = min(blocks.upperBound.value, words.count << 6)
    while value < end {
      let members = word(value >> 6) >> UInt64(value & 63)
      guard members != 0 else {
        value = (value | 63) + 1
        continue
      }
      value += members.trailingZeroBitCount
      return value < end ? BlockIndex(value) : nil
    }
    return nil
  }

  /// Returns the `blocks` that are not members, as runs in ascending order.
  package func missing(in blocks: Range<BlockIndex>) -> [Range<BlockIndex>] {
    var runs: [Range<BlockIndex>] = []
    var rest = blocks
    while let first = firstMissing(in: rest) {
      let end = firstMember(in: first..<blocks.upperBound) ?? blocks.upperBound
      runs.append(first..<end)
      rest = end..<blocks.upperBound
    }
    return runs
  }

  /// Returns the `blocks` that are members, as runs in ascending order.
  package func runs(in blocks: Range<BlockIndex>) -> [Range<BlockIndex>] {
    var runs: [Range<BlockIndex>] = []
    var rest = blocks
    while let first = firstMember(in: rest) {
      let end = firstMissing(in: first..<blocks.upperBound) ?? blocks.upperBound
      runs.append(first..<end)
      rest = end..<blocks.upperBound
    }
    return runs
  }

  package mutating func insert(_ blocks: Range<BlockIndex>) {
    // The bounds of an empty range can be anywhere, so the bitmap must not grow to them.
    guard !blocks.isEmpty else { return }
    grow(to: blocks.upperBound)
    var value = blocks.lowerBound.value
    while value < blocks.upperBound.value {
      let end = min(blocks.upperBound.value, (value | 63) + 1)
      words[value >> 6] |= (~0 >> UInt64(64 - (end - value))) << UInt64(value & 63)
      value = end
    }
  }

  package mutating func insert(_ block: BlockIndex) {
    grow(to: block.advanced(by: 1))
    words[block.value >> 6] |= 1 << UInt64(block.value & 63)
  }

  package mutating func remove(_ blocks: Range<BlockIndex>) {
    for block in blocks where block.value >> 6 < words.count {
      words[block.value >> 6] &= ~(1 << UInt64(block.value & 63))
    }
  }

  package mutating func remove(_ block: BlockIndex) {
    remove(block..<block.advanced(by: 1))
  }

  /// Returns the members that are not in `others`.
  package func subtracting(_ others: BlockSet) -> BlockSet {
    BlockSet(words: words.indices.map { words[$0] & ~others.word($0) })
  }

  @inlinable
  func word(_ index: Int) -> UInt64 {
    index < words.count ? words[index] : 0
  }

  private mutating func grow(to end: BlockIndex) {
    let needed = (end.value + 63) >> 6
    if words.count < needed {
      words.append(contentsOf: repeatElement(0, count: needed - words.count))
    }
  }

  /// Compares the members. Words without members at the end do not count.
  package static func == (left: Self, right: Self) -> Bool {
    let longest = max(left.words.count, right.words.count)
    return (0..<longest).allSatisfy { left.word($0) == right.word($0) }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
  }
}

extension BlockSet {
  /// Returns the bytes of the members as at most `limit` ranges, in ascending order. If the members
  /// form more than `limit` runs, the ranges also cover the smallest gaps between the runs.
  package func extents(in layout: BlockLayout, atMost limit: Int) -> [ByteRange] {
    let runs = runs(in: layout.all).map { layout.bytes(of: $0) }
    guard runs.count > limit, limit > 0 else { return runs }
    let gaps = runs.indices.dropFirst().map { runs[$0].lowerBound - runs[$0 - 1].upperBound }
    let kept = gaps.indices.sorted { (gaps[$0], $0) > (gaps[$1], $1) }.prefix(limit - 1).sorted()
    let starts = [0] + kept.map { $0 + 1 }
    return zip(starts, starts.dropFirst() + [runs.count]).map {
      runs[$0].lowerBound..<runs[$1 - 1].upperBound
    }
  }
}
