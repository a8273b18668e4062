import Blocks
import SystemPackage

/// `<hash>.idx`: the blocks of `<hash>.data` that are cached, and the checksum of each.
///
/// ```
/// 0          header of H bytes, a multiple of 4 KiB    IndexHeader
/// H          bitmap: W = ⌈blocks ÷ 64⌉ words of 64 bits, block n is bit n % 64 of word n ÷ 64
/// H + 8·W    CRC32C of each block, 4 bytes each
/// ```
/// All integers are little-endian. The file can end earlier. Missing bytes count as zero, and a bit
/// does not count if the checksum of its block is missing. A block's bytes are written first, then
/// its checksum, then its bit. The header, each word and each checksum are aligned, so a reader
/// never sees one that is only half written.
///
/// For any thread, because the open file is the only state. `EntryFile` makes the writes in the
/// right order.
struct IndexFile: Sendable {
  let file: any DiskFile
  private let places: IndexPlaces
  private let epoch: UInt64

  init(_ file: any DiskFile, header: IndexHeader, epoch: UInt64) {
    self.file = file
    self.epoch = epoch
    places = IndexPlaces(header)
  }

  /// Returns the header in `file`; nil if it is damaged or of another format.
  static func header(in file: any DiskFile) throws(Errno) -> IndexHeader? {
    let start = try file.read(IndexHeader.page, at: 0)
    guard let count = IndexHeader.byteCount(in: start) else { return nil }
    return IndexHeader(try file.read(count, at: 0))
  }

  /// Tells whether the format of the index called `name` is older or newer than the known one; nil
  /// if it is the known one, or if there is no intact index.
  static func otherFormat(in folder: Folder, _ name: String) -> OtherFormat? {
    guard let file = try? folder.file.open(name + ".idx", for: .read),
      let start = try? file.read(IndexHeader.page, at: 0),
      let count = IndexHeader.byteCount(in: start), let bytes = try? file.read(count, at: 0)
    else { return nil }
    return IndexHeader.otherFormat(of: bytes)
  }

  func write(_ header: IndexHeader) throws(Errno) {
    try file.write(header.encoded, at: 0)
  }

  /// Returns the blocks that have a set bit and a checksum within the file.
  func cachedBlocks() throws(Errno) -> BlockSet {
    let size = try file.status().size
    let bitmap = places.bitmap(inFileOf: size)
    return places.cachedBlocks(try file.read(bitmap.count, at: bitmap.lowerBound), inFileOf: size)
  }

  /// Returns the checksum of the epoch and of the bitmap of `cachedBlocks`.
  func cleanMark(of cachedBlocks: BlockSet) -> UInt32 {
    places.cleanMark(of: cachedBlocks, epoch: epoch)
  }

  func write(word: UInt64, at index: Int) throws(Errno) {
    try file.write(word.encoded, at: places.word(index))
  }

  /// Writes the checksums of consecutive blocks, from `first` on.
  func write(checksums: [UInt32], from first: BlockIndex) throws(Errno) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(checksums.count * 4)
    for checksum in checksums {
      withUnsafeBytes(of: checksum.littleEndian) { bytes.append(contentsOf: $0) }
    }
    try file.write(bytes, at: places.checksum(of: first))
  }

  /// Returns the stored checksum of `block`; nil if the file ends before it.
  func checksum(of block: BlockIndex) throws(Errno) -> UInt32? {
    let bytes = try file.read(4, at: places.checksum(of: block))
    return bytes.count == 4 ? bytes.integer(at: 0) : nil
  }
}
