import Blocks

/// The offsets of the bitmap and the checksums in an index file. Also tells which blocks a bitmap
/// marks as cached.
struct IndexPlaces: Sendable {
  private let layout: BlockLayout
  private let bitmapStart: Int

  init(_ header: IndexHeader) {
    layout = header.layout
    bitmapStart = header.byteCount
  }

  /// Returns the offset of the word `index` of the bitmap.
  func word(_ index: Int) -> Int {
    bitmapStart + index * 8
  }

  func checksum(of block: BlockIndex) -> Int {
    word(wordCount) + block.value * 4
  }

  /// Returns the range of the bitmap, cut at the end of a file of `size` bytes.
  func bitmap(inFileOf size: Int) -> ByteRange {
    bitmapStart..<max(bitmapStart, min(word(wordCount), size))
  }

  /// Returns the blocks that have a set bit in `bitmap` and a checksum within a file of `size`
  /// bytes.
  func cachedBlocks(_ bitmap: [UInt8], inFileOf size: Int) -> BlockSet {
    let whole = bitmap.count / 8
    var cachedBlocks = BlockSet(words: (0..<whole).map { bitmap.integer(at: $0 * 8) })
    let checksums = max(0, min(layout.count, (size - word(wordCount)) / 4))
    cachedBlocks.remove(BlockIndex(checksums)..<BlockIndex(max(checksums, whole * 64)))
    return cachedBlocks
  }

  /// Returns the checksum of the epoch and of the bitmap of `cachedBlocks`.
  func cleanMark(of cachedBlocks: BlockSet, epoch: UInt64) -> UInt32 {
    var checksum = CRC32C(of: epoch.encoded.span.bytes)
    for index in 0..<wordCount {
      checksum.update(cachedBlocks.word(at: index).encoded.span.bytes)
    }
    return checksum.value
  }

  var wordCount: Int {
    (layout.count + 63) / 64
  }
}

extension BlockSet {
  /// Returns the word `index` of the bitmap, or zero past its end.
  func word(at index: Int) -> UInt64 {
    index < words.count ? words[index] : 0
  }
}
