import Blocks

/// The head of an index file: whose bytes they are, and whether they were left in order.
///
/// ```
///  0   8  magic                                       integers are little-endian
///  8   4  format version
/// 12   4  bytes of the header, a multiple of 4096
/// 16   4  CRC32C of the header, with these four bytes as zero
/// 20   4  clean mark: 1 when everything was flushed before the last close, else 0
/// 24   4  CRC32C of the cache's epoch, and of the bitmap at that time
/// 28  36  boot id of the last opening for writing
/// 64   8  length of the representation
/// 72   8  block size
/// 80   …  entry id, salt, validator, content type: each 4 bytes of length and UTF-8
///      …  zeros
/// ```
/// What changes lies in the first 64 bytes, so that a torn write cannot spoil the rest.
struct IndexHeader: Hashable, Sendable {
  static let page = 4096  // bytes
  private static let magic = Array("feedfsIX".utf8)
  private static let version: UInt32 = 1
  private static let longest = 16 * page  // more than any sensible id and URL
  /// 16 TiB by blocks of the usual size; whatever is done for each block ends in good time.
  private static let mostBlocks = 1 << 28
  private static let longestContentType = 255  // bytes; it is a hint, and dropped beyond

  let key: EntryKey
  let representation: Representation
  let layout: BlockLayout
  /// Nil: the origin did not say, or at greater length than anyone needs.
  let contentType: String?
  /// The checksum of epoch and bitmap, when it was last left in order; nil while it is in use.
  ///
  /// It makes the mark safe without a flush of its own when it is taken away: a bitmap that went on
  /// while the mark stayed on the disk does not match.
  var seal: UInt32?
  var bootID: String

  init(
    key: EntryKey, representation: Representation, layout: BlockLayout, contentType: String?,
    seal: UInt32? = nil, bootID: String
  ) {
    self.key = key
    self.representation = representation
    self.layout = layout
    self.contentType = contentType.flatMap { $0.utf8.count > Self.longestContentType ? nil : $0 }
    self.seal = seal
    self.bootID = bootID
  }

  /// Bytes of this header: where the bitmap begins.
  var byteCount: Int {
    (80 + identity.count + storedContentType.count + Self.page - 1) / Self.page * Self.page
  }

  /// Whether the format can hold it.
  var fits: Bool {
    byteCount <= Self.longest && layout.count <= Self.mostBlocks
  }

  var encoded: [UInt8] {
    var bytes = Self.magic + Self.version.stored + UInt32(byteCount).stored + UInt32(0).stored
    bytes += UInt32(seal == nil ? 0 : 1).stored + (seal ?? 0).stored
    bytes += (Array(bootID.utf8) + [UInt8](repeating: 0, count: 36)).prefix(36)
    bytes += UInt64(layout.length).stored + UInt64(layout.blockSize).stored
    bytes += identity + storedContentType
    bytes += [UInt8](repeating: 0, count: byteCount - bytes.count)
    bytes.replaceSubrange(16..<20, with: CRC32C(of: bytes.span.bytes).value.stored)
    return bytes
  }

  /// How many bytes the header takes that begins with `start`; nil if it is none of this format.
  static func byteCount(in start: [UInt8]) -> Int? {
    guard start.count >= 80, start.starts(with: magic), start.integer(at: 8) == version else {
      return nil
    }
    let count = Int(start.integer(at: 12) as UInt32)
    return count > 0 && count <= longest && count % page == 0 ? count : nil
  }

  /// The stored header; nil unless it is whole.
  init?(_ bytes: [UInt8]) {
    guard Self.byteCount(in: bytes) == bytes.count else { return nil }
    var unsigned = bytes
    unsigned.replaceSubrange(16..<20, with: UInt32(0).stored)
    var texts = StoredTexts(bytes.dropFirst(80))
    guard CRC32C(of: unsigned.span.bytes).value == bytes.integer(at: 16),
      let length = Int(exactly: bytes.integer(at: 64) as UInt64),
      let blockSize = Int(exactly: bytes.integer(at: 72) as UInt64), blockSize > 0,
      let entry = texts.next(), let salt = texts.next(),
      let validator = texts.next().flatMap({ Validator(storedText: $0) }), let type = texts.next()
    else { return nil }
    let layout = BlockLayout(length: length, blockSize: blockSize)
    guard layout.count <= Self.mostBlocks else { return nil }
    self.init(
      key: EntryKey(entry: entry, salt: salt),
      representation: Representation(length: length, validator: validator), layout: layout,
      contentType: type.isEmpty ? nil : type,
      seal: bytes.integer(at: 20) == UInt32(1) ? bytes.integer(at: 24) : nil,
      bootID: String(decoding: bytes[28..<64].prefix { $0 != 0 }, as: UTF8.self))
  }

  /// Whether it is of the bytes that `wanted` names.
  func belongs(to wanted: Self) -> Bool {
    key == wanted.key && representation == wanted.representation && layout == wanted.layout
  }

  /// What tells these bytes from all others.
  private var identity: [UInt8] {
    Self.stored(key.entry) + Self.stored(key.salt)
      + Self.stored(representation.validator.storedText)
  }

  private var storedContentType: [UInt8] {
    Self.stored(contentType ?? "")
  }

  private static func stored(_ text: String) -> [UInt8] {
    UInt32(clamping: text.utf8.count).stored + Array(text.utf8)
  }
}

/// Texts with their lengths before them, read one after the other.
private struct StoredTexts {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  /// Nil: the bytes end before the text does.
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
  /// The bytes, least significant first.
  var stored: [UInt8] {
    stride(from: 0, to: Self.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
  }
}

extension [UInt8] {
  /// The integer whose bytes, least significant first, begin at `offset`.
  func integer<Integer: FixedWidthInteger>(at offset: Int) -> Integer {
    self[offset..<(offset + Integer.bitWidth / 8)].reversed().reduce(0) {
      $0 << 8 | Integer(truncatingIfNeeded: $1)
    }
  }
}
