import Blocks

/// Beginnings of blocks that have come, but were not written to the disk yet.
///
/// libcurl gives at most 16 KiB at a time. Four small writes cost the kernel twice as much as one
/// write of a complete block. Gathered bytes count as cached. They hide the bytes on the disk
/// (`over`) until the block is written.
struct GatheredBlocks: Sendable {
  /// Consecutive bytes of one block, and the offset in the file at which they begin.
  struct Run: Hashable, Sendable {
    let start: Int
    var bytes: [UInt8]

    var range: ByteRange { start..<start + bytes.count }
  }

  /// The most blocks that are gathered at once. Each takes a block of memory. Readers that jump
  /// leave some behind.
  static let most = 16

  private var runs: [BlockIndex: Run] = [:]
  /// The blocks in the order in which they began, oldest first.
  private var order: [BlockIndex] = []

  init() {}

  /// The gathered bytes of `block`.
  subscript(_ block: BlockIndex) -> Run? { runs[block] }

  /// Adds a piece of `block` that continues its gathered bytes, or begins anew.
  mutating func append(_ piece: RawSpan, at offset: Int, of block: BlockIndex, size: Int) {
    if runs[block]?.range.upperBound != offset {
      remove(block)
      var bytes: [UInt8] = []
      bytes.reserveCapacity(size)
      runs[block] = Run(start: offset, bytes: bytes)
      order.append(block)
    }
    piece.withUnsafeBytes { runs[block]?.bytes.append(contentsOf: $0) }
  }

  /// All blocks with gathered bytes, the one begun first in front.
  var blocks: [BlockIndex] { order }

  /// The block to write next because too many are gathered; nil if there is room.
  var excess: BlockIndex? { order.count > Self.most ? order.first : nil }

  /// Removes `block`, because it was written or is no longer wanted.
  mutating func remove(_ block: BlockIndex) {
    guard runs.removeValue(forKey: block) != nil else { return }
    order.removeAll { $0 == block }
  }

  /// Returns the runs of `blocks` that overlap `range`.
  func runs(in range: ByteRange, of blocks: Range<BlockIndex>) -> [Run] {
    guard !runs.isEmpty else { return [] }
    return runs.filter { blocks.contains($0.key) && $0.value.range.overlaps(range) }.map(\.value)
  }
}

extension [GatheredBlocks.Run] {
  /// Replaces bytes from the disk by gathered ones. `bytes` begins with the bytes of `range`.
  func over(_ bytes: inout [UInt8], _ range: ByteRange) {
    for run in self {
      let part = run.range.clamped(to: range)
      bytes.replaceSubrange(
        part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound,
        with: run.bytes[part.lowerBound - run.start..<part.upperBound - run.start])
    }
  }

  /// Returns the gathered bytes of `range`; nil if no single run has all of them.
  func bytes(_ range: ByteRange) -> ArraySlice<UInt8>? {
    first { $0.range.lowerBound <= range.lowerBound && range.upperBound <= $0.range.upperBound }
      .map { $0.bytes[range.lowerBound - $0.start..<range.upperBound - $0.start] }
  }
}
