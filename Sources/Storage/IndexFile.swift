import Blocks
import SystemPackage

/// `<hash>.idx`: which blocks of `<hash>.data` are held, and the checksum of each.
///
/// ```
/// 0          header, 4 KiB or a multiple of it    IndexHeader
/// H          bitmap: ⌈blocks ÷ 64⌉ words of 64 bits, block n is bit n % 64 of word n ÷ 64
/// H + 8·W    CRC32C of each block, 4 bytes each
/// ```
/// All integers are little-endian. The file may end early: what is missing is zero, and a bit without
/// a checksum behind it counts for nothing. A block's bytes are written first, then its checksum, then
/// its bit; header, words and checksums are aligned, so that no write of one is ever seen halfway.
///
/// Holds no state but the open file: any thread may call, who writes what is `EntryFile`'s to order.
struct IndexFile: Sendable {
  let file: File
  private let layout: BlockLayout
  private let bitmapStart: Int

  private let epoch: UInt64

  init(_ file: File, header: IndexHeader, epoch: UInt64) {
    self.file = file
    self.epoch = epoch
    layout = header.layout
    bitmapStart = header.byteCount
  }

  /// The header in `file`, if it is whole.
  static func header(in file: File) throws(Errno) -> IndexHeader? {
    let start = try file.read(IndexHeader.page, at: 0)
    guard let count = IndexHeader.byteCount(in: start) else { return nil }
    return IndexHeader(try file.read(count, at: 0))
  }

  func write(_ header: IndexHeader) throws(Errno) {
    try file.write(header.encoded, at: 0)
  }

  /// The blocks whose bit is set and whose checksum the file is long enough to hold.
  func held() throws(Errno) -> BlockSet {
    let size = try file.status().size
    let available = max(0, min(wordCount * 8, size - bitmapStart))
    let bytes = try file.read(available, at: bitmapStart)
    let whole = bytes.count / 8
    var held = BlockSet(words: (0..<whole).map { bytes.integer(at: $0 * 8) })
    let checksums = max(0, min(layout.count, (size - checksumStart) / 4))
    held.remove(BlockIndex(checksums)..<BlockIndex(max(checksums, whole * 64)))
    return held
  }

  /// The checksum of the epoch and of the bitmap that `held` makes.
  func seal(of held: BlockSet) -> UInt32 {
    var checksum = CRC32C(of: epoch.stored.span.bytes)
    for index in 0..<wordCount {
      checksum.update(held.word(at: index).stored.span.bytes)
    }
    return checksum.value
  }

  func write(word: UInt64, at index: Int) throws(Errno) {
    try file.write(word.stored, at: bitmapStart + index * 8)
  }

  func write(checksum: UInt32, of block: BlockIndex) throws(Errno) {
    try file.write(checksum.stored, at: checksumStart + block.value * 4)
  }

  /// The stored checksum; nil where the file has ended.
  func checksum(of block: BlockIndex) throws(Errno) -> UInt32? {
    let bytes = try file.read(4, at: checksumStart + block.value * 4)
    return bytes.count == 4 ? bytes.integer(at: 0) : nil
  }

  private var wordCount: Int {
    (layout.count + 63) / 64
  }

  private var checksumStart: Int {
    bitmapStart + wordCount * 8
  }
}

extension BlockSet {
  /// Word `index` of the bitmap, also where none is kept.
  func word(at index: Int) -> UInt64 {
    index < words.count ? words[index] : 0
  }
}
