/// `<hash>.sum`: the checksum and the size of `<hash>.doc`, which show whether that file has
/// changed.
///
/// ```
///  0  8  magic                                    integers are little-endian
///  8  4  CRC32C of the document's address in UTF-8, followed by its bytes
/// 12  8  size of the document in bytes
/// ```
struct DocumentSum: Hashable, Sendable {
  static let ending = ".sum"
  static let count = 20  // bytes
  private static let magic = Array("feedfsDS".utf8)

  let checksum: UInt32
  let size: Int

  /// Makes the sum of the document `bytes` at `url`.
  init(of bytes: [UInt8], at url: String) {
    var checksum = CRC32C(of: Array(url.utf8).span.bytes)
    checksum.update(bytes.span.bytes)
    self.checksum = checksum.value
    size = bytes.count
  }

  /// Decodes a stored sum; nil if it is damaged.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count, bytes.starts(with: Self.magic),
      let size = Int(exactly: bytes.integer(at: 12) as UInt64)
    else { return nil }
    checksum = bytes.integer(at: 8)
    self.size = size
  }

  var encoded: [UInt8] {
    Self.magic + checksum.encoded + UInt64(size).encoded
  }
}
