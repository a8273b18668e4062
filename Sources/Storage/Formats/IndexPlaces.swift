import Blocks

/// Where in an index file the bitmap and the checksums lie, and what the bitmap says.
struct IndexPlaces: Sendable {
  private let layout: BlockLayout
  private let bitmapStart: Int

  init(_ header: IndexHeader) {
    layout = header.layout
    bitmapStart = header.byteCount
  }

  /// Where the word `index` of the bitmap begins.
  func word(_ index: Int) -> Int {
    bitmapStart + index * 8
  }

  func checksum(of block: BlockIndex) -> Int {
    word(wordCount) + block.value * 4
  }

  /// What there is of the bitmap in a file of `size` bytes.
  func bitmap(inFileOf size: Int) -> ByteRange {
    bitmapStart..<max(bitmapStart, min(word(wordCount), size))
  }

  /// The blocks whose bit is set in `bitmap` and whose checksum a file of `size` bytes is long enough to
  /// hold.
  func held(_ bitmap: [UInt8], inFileOf size: Int) -> BlockSet {
    let whole = bitmap.count / 8
    var held = BlockSet(words: (0..<whole).map { bitmap.integer(at: $0 * 8) })
    let checksums = max(0, min(layout.count, (size - word(wordCount)) / 4))
    held.remove(BlockIndex(checksums)..<BlockIndex(max(checksums, whole * 64)))
    return held
  }

  /// The checksum of the epoch and of the bitmap that `held` makes.
  func seal(of held: BlockSet, epoch: UInt64) -> UInt32 {
    var checksum = CRC32C(of: epoch.stored.span.bytes)
    for index in 0..<wordCount {
      checksum.update(held.word(at: index).stored.span.bytes)
    }
    return checksum.value
  }

  var wordCount: Int {
    (layout.count + 63) / 64
  }
}

extension BlockSet {
  /// Word `index` of the bitmap, also where none is kept.
  func word(at index: Int) -> UInt64 {
    index < words.count ? words[index] : 0
  }
}
