import Blocks

/// Blocks of which the beginning has come and was not written yet.
///
/// libcurl hands out 16 KiB at most, and four small writes cost the kernel twice as much as one of a
/// whole block. What is here counts as there: it lies over what is on the disk (`over`), until the
/// block was written.
struct GatheredBlocks: Sendable {
  /// Bytes of one block in a row, and where in the file they begin.
  struct Run: Hashable, Sendable {
    let start: Int
    var bytes: [UInt8]

    var range: ByteRange { start..<start + bytes.count }
  }

  /// Each costs a block of memory; readers who jump leave some behind.
  static let most = 16

  private var runs: [BlockIndex: Run] = [:]
  /// The longest unused first.
  private var order: [BlockIndex] = []

  init() {}

  /// What was gathered of `block`.
  subscript(_ block: BlockIndex) -> Run? { runs[block] }

  /// Takes a piece of `block` that follows what was gathered of it, or begins anew.
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

  /// All of which something is here, the longest unused first.
  var blocks: [BlockIndex] { order }

  /// The block to be written for others to have room; nil: there is room.
  var excess: BlockIndex? { order.count > Self.most ? order.first : nil }

  /// It was written, or is wanted no more.
  mutating func remove(_ block: BlockIndex) {
    guard runs.removeValue(forKey: block) != nil else { return }
    order.removeAll { $0 == block }
  }

  /// The runs that lie in `range`, of any of `blocks`.
  func runs(in range: ByteRange, of blocks: Range<BlockIndex>) -> [Run] {
    guard !runs.isEmpty else { return [] }
    return runs.filter { blocks.contains($0.key) && $0.value.range.overlaps(range) }.map(\.value)
  }
}

extension [GatheredBlocks.Run] {
  /// Puts what was gathered in the place of what is on the disk; `bytes` begin with those of `range`.
  func over(_ bytes: inout [UInt8], _ range: ByteRange) {
    for run in self {
      let part = run.range.clamped(to: range)
      bytes.replaceSubrange(
        part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound,
        with: run.bytes[part.lowerBound - run.start..<part.upperBound - run.start])
    }
  }

  /// What was gathered of `range`; nil unless that is all of it, in one run.
  func bytes(_ range: ByteRange) -> ArraySlice<UInt8>? {
    first { $0.range.lowerBound <= range.lowerBound && range.upperBound <= $0.range.upperBound }
      .map { $0.bytes[range.lowerBound - $0.start..<range.upperBound - $0.start] }
  }
}
