import Blocks

/// The latest bytes of a file, in memory. Readers close behind the fetch get them from here without
/// a read of the disk, and the writer writes them from here to the disk.
///
/// libcurl gives at most 16 KiB at a time, and many small writes cost the kernel much more than a
/// few large ones. Bytes here replace the bytes that the disk has at the same place, because those
/// may be older (`RecentPiece.over`).
struct RecentBytes: Sendable {
  /// The extents in the order of the file. There are few, because the memory for extents is
  /// limited.
  private(set) var all: [RecentExtent] = []
  /// The number of each extent, in the order of `all`.
  private(set) var numbers: [Int] = []

  /// The extent that has memory for `block`; nil if there is none.
  subscript(_ block: BlockIndex) -> RecentExtent? {
    extent(RecentExtent.number(of: block))
  }

  /// The number of bytes that are in memory, and not in the data file.
  var unwritten: Int {
    all.reduce(0) { sum, extent in
      sum + extent.numbers.reduce(0) { $0 + extent[$1].unwritten }
    }
  }

  /// The extent with the number `number`; nil if there is no memory for it.
  func extent(_ number: Int) -> RecentExtent? {
    index(of: number).map { all[$0] }
  }

  /// True if `extent` is in `all`.
  func contains(_ extent: RecentExtent) -> Bool {
    index(of: extent.number).map { all[$0] === extent } ?? false
  }

  /// Adds `extent`, in which `block` is begun again. It replaces an extent of the same blocks, and
  /// copies from it the bytes of all blocks except `block`.
  mutating func add(_ extent: RecentExtent, anew block: BlockIndex) {
    if let index = index(of: extent.number) {
      let old = all[index]
      for other in extent.numbers where other != block && !old[other].range.isEmpty {
        old.lend(old[other].range) { extent.copy($0, to: old[other].range.lowerBound) }
        extent[other] = old[other]
      }
      all[index] = extent
    } else {
      let index = place(of: extent.number)
      all.insert(extent, at: index)
      numbers.insert(extent.number, at: index)
    }
  }

  mutating func remove(_ extent: RecentExtent) {
    guard contains(extent), let index = index(of: extent.number) else { return }
    all.remove(at: index)
    numbers.remove(at: index)
  }

  /// Forgets the bytes of `blocks`.
  mutating func forget(_ blocks: Range<BlockIndex>) {
    for extent in all where extent.numbers.overlaps(blocks) {
      for block in extent.numbers.clamped(to: blocks) {
        let start = extent[block].range.lowerBound
        extent[block].range = start..<start
        extent[block].writtenEnd = start
      }
    }
  }

  /// Notes that the bytes of `block` must be written again.
  func writeAgain(_ block: BlockIndex) {
    guard let extent = self[block] else { return }
    extent[block].writtenEnd = extent[block].range.lowerBound
  }

  /// Returns which bytes of `block` are in memory; nil if there are none.
  func run(of block: BlockIndex) -> RecentExtent.Run? {
    guard let run = self[block]?[block], !run.range.isEmpty else { return nil }
    return run
  }

  /// Returns the extent that has all of `range`, which begins in `block`; nil if there is none.
  func extent(with range: ByteRange, from block: BlockIndex) -> RecentExtent? {
    guard !all.isEmpty, !range.isEmpty, let extent = self[block] else { return nil }
    return extent.holds(range) ? extent : nil
  }

  /// True if all bytes of `range`, which touches `blocks`, are in memory.
  func hold(_ range: ByteRange, in blocks: Range<BlockIndex>, of layout: BlockLayout) -> Bool {
    guard !all.isEmpty, !range.isEmpty else { return false }
    return blocks.allSatisfy { block in
      let part = layout.bytes(of: block).clamped(to: range)
      return self[block].map { $0[block].range.clamped(to: part) == part } ?? false
    }
  }

  /// Returns the bytes of `range` that are in memory. `range` must be within `blocks`.
  func pieces(of range: ByteRange, in blocks: Range<BlockIndex>) -> [RecentPiece] {
    guard !all.isEmpty else { return [] }
    var pieces: [RecentPiece] = []
    pieces.reserveCapacity(min(blocks.count, all.count * RecentExtent.blocks))
    for block in blocks {
      guard let extent = self[block] else { continue }
      let part = extent[block].range.clamped(to: range)
      if !part.isEmpty { pieces.append(RecentPiece(extent: extent, range: part)) }
    }
    return pieces
  }

  private func index(of number: Int) -> Int? {
    let index = place(of: number)
    return index < numbers.count && numbers[index] == number ? index : nil
  }

  /// Returns the index of the extent `number`, or the index at which to insert it. The search
  /// begins at the end, because the extent is usually one of the last.
  private func place(of number: Int) -> Int {
    var index = numbers.count
    while index > 0, numbers[index - 1] >= number { index -= 1 }
    return index
  }
}

/// A range of a file's bytes, and the extent that has them in memory.
struct RecentPiece: Sendable {
  let extent: RecentExtent
  let range: ByteRange

  /// Replaces bytes that were read from the disk by those of this piece. `bytes` are the bytes of
  /// `source`, a range of the file.
  func over(_ bytes: inout [UInt8], _ source: ByteRange) {
    let part = range.clamped(to: source)
    guard !part.isEmpty else { return }
    let place = part.lowerBound - source.lowerBound..<part.upperBound - source.lowerBound
    extent.lend(part) { piece in
      piece.withUnsafeBytes { bytes.replaceSubrange(place, with: $0) }
    }
  }
}
