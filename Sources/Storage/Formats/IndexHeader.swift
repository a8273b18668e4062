import Blocks

/// The header of an index file. It identifies the version, and its clean mark shows whether the
/// last process closed the files in order.
///
/// ```
///  0   8  magic                                       integers are little-endian
///  8   4  format version, 1; 65537 for a growing body
/// 12   4  size of the header in bytes, a multiple of 4096
/// 16   4  CRC32C of the header, with these four bytes as zero
/// 20   4  clean mark: 1 when everything was flushed before the last close, else 0
/// 24   4  CRC32C of the cache's epoch and of the bitmap when the mark was made
/// 28  36  the data file then: "left", inode, size, change time (8 bytes each), 8 zeros
/// 64   8  length of the version, in bytes
/// 72   8  block size
/// 80   …  entry id, salt, validator, content type: each 4 bytes of length and UTF-8
///      …  zeros
/// ```
/// All fields that change are in the first 64 bytes. So a write that a crash interrupts cannot
/// damage the other fields.
struct IndexHeader: Hashable, Sendable {
  static let page = 4096  // bytes
  private static let magic = Array("feedfsIX".utf8)
  private static let version: UInt32 = 1
  private static let growing: UInt32 = 1 << 16
  private static let maxBytes = 16 * page  // more than any sensible id and URL need
  /// The limit for blocks: 16 TiB at the standard block size. A loop over more blocks would take
  /// too long.
  private static let maxBlocks = 1 << 28
  private static let maxContentTypeBytes = 255  // bytes; a longer one is only a hint, and left out

  let key: EntryKey
  let representation: Representation
  let layout: BlockLayout
  /// The media type; nil if the origin sent none, or one longer than `maxContentTypeBytes`.
  let contentType: String?
  /// The clean mark; nil while the version is in use, and after an unclean stop.
  var cleanMark: CleanMark?

  init(
    key: EntryKey, representation: Representation, layout: BlockLayout, contentType: String?,
    cleanMark: CleanMark? = nil
  ) {
    self.key = key
    self.representation = representation
    self.layout = layout
    self.contentType = contentType.flatMap { $0.utf8.count > Self.maxContentTypeBytes ? nil : $0 }
    self.cleanMark = cleanMark
  }

  /// The size of this header in bytes. It is also the offset of the bitmap.
  var byteCount: Int {
    (80 + identity.count + encodedContentType.count + Self.page - 1) / Self.page * Self.page
  }

  /// True if the format can store this header.
  var fits: Bool {
    byteCount <= Self.maxBytes && layout.count <= Self.maxBlocks
  }

  var encoded: [UInt8] {
    let version = Self.version | (key.isGrowing ? Self.growing : 0)
    var bytes = Self.magic + version.encoded + UInt32(byteCount).encoded + UInt32(0).encoded
    bytes += CleanMark.encoded(cleanMark)
    bytes += UInt64(layout.length).encoded + UInt64(layout.blockSize).encoded
    bytes += identity + encodedContentType
    bytes += [UInt8](repeating: 0, count: byteCount - bytes.count)
    bytes.replaceSubrange(16..<20, with: CRC32C(of: bytes.span.bytes).value.encoded)
    return bytes
  }

  /// Returns the size in bytes of the header that begins with `start`; nil if `start` is no header.
  static func byteCount(in start: [UInt8]) -> Int? {
    guard start.count >= 80, start.starts(with: magic) else { return nil }
    let count = Int(start.integer(at: 12) as UInt32)
    return count > 0 && count <= maxBytes && count % page == 0 ? count : nil
  }

  /// Tells whether the format of a header is older or newer than the known one; nil if it is the
  /// known one, or if the header is damaged.
  static func otherFormat(of bytes: [UInt8]) -> OtherFormat? {
    guard isIntact(bytes) else { return nil }
    return OtherFormat(Int((bytes.integer(at: 8) as UInt32) & ~growing), known: Int(version))
  }

  /// True if the size and the checksum of a header are right. All formats have these two fields at
  /// the same places.
  private static func isIntact(_ bytes: [UInt8]) -> Bool {
    guard byteCount(in: bytes) == bytes.count else { return false }
    var unsigned = bytes
    unsigned.replaceSubrange(16..<20, with: UInt32(0).encoded)
    return CRC32C(of: unsigned.span.bytes).value == bytes.integer(at: 16)
  }

  /// Decodes a stored header; nil if it is damaged, or of another format.
  init?(_ bytes: [UInt8]) {
    let number: UInt32 = bytes.count < 12 ? 0 : bytes.integer(at: 8)
    guard Self.isIntact(bytes), number & ~Self.growing == Self.version else { return nil }
    var texts = EncodedTexts(bytes.dropFirst(80))
    guard let length = Int(exactly: bytes.integer(at: 64) as UInt64),
      let blockSize = Int(exactly: bytes.integer(at: 72) as UInt64), blockSize > 0,
      let entry = texts.next(), let salt = texts.next(),
      let validator = texts.next().flatMap({ Validator(encodedText: $0) }), let type = texts.next()
    else { return nil }
    let layout = BlockLayout(length: length, blockSize: blockSize)
    guard layout.count <= Self.maxBlocks else { return nil }
    self.init(
      key: EntryKey(
        entry: entry, salt: salt, isGrowing: number & Self.growing != 0),
      representation: Representation(length: length, validator: validator), layout: layout,
      contentType: type.isEmpty ? nil : type,
      cleanMark: CleanMark(in: bytes))
  }

  /// True if this header describes the same bytes as `wanted`.
  func belongs(to wanted: Self) -> Bool {
    key == wanted.key && representation == wanted.representation && layout == wanted.layout
  }

  /// The encoded fields that identify the version.
  private var identity: [UInt8] {
    Self.encoded(key.entry) + Self.encoded(key.salt)
      + Self.encoded(representation.validator.encodedText)
  }

  private var encodedContentType: [UInt8] {
    Self.encoded(contentType ?? "")
  }

  private static func encoded(_ text: String) -> [UInt8] {
    UInt32(clamping: text.utf8.count).encoded + Array(text.utf8)
  }
}

/// Reads texts one after the other. Before each text is its length in bytes.
private struct EncodedTexts {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  /// Returns the next text; nil if the bytes end before the text does.
  mutating func next() -> String? {
    guard rest.count >= 4 else { return nil }
    let count = Int(Array(rest.prefix(4)).integer(at: 0) as UInt32)
    rest = rest.dropFirst(4)
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return String(decoding: rest.prefix(count), as: UTF8.self)
  }
}

extension FixedWidthInteger {
  /// The bytes of the integer, least significant first.
  var encoded: [UInt8] {
    stride(from: 0, to: Self.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
  }
}

extension [UInt8] {
  /// Returns the integer whose bytes, least significant first, begin at `offset`.
  func integer<Integer: FixedWidthInteger>(at offset: Int) -> Integer {
    self[offset..<(offset + Integer.bitWidth / 8)].reversed().reduce(0) {
      $0 << 8 | Integer(truncatingIfNeeded: $1)
    }
  }
}
