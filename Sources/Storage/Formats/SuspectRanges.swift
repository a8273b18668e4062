import Blocks

/// `<hash>.doubt`: the suspect ranges of a version. Their bytes came in answers that broke off, and
/// no other answer has confirmed them.
///
/// ```
///  0  8  magic                       integers are little-endian
///  8  4  CRC32C of all that follows
/// 12  4  number of ranges
/// 16  …  each range: first offset, and offset after the last byte, 8 bytes each
/// ```
/// If no byte is suspect, there is no file. The file is always replaced as a whole. If it cannot be
/// read, all bytes of the version count as suspect.
enum SuspectRanges {
  static let ending = ".doubt"
  private static let magic = Array("feedfsDB".utf8)

  static func encoded(_ ranges: [ByteRange]) -> [UInt8] {
    let body =
      UInt32(ranges.count).encoded
      + ranges.flatMap { UInt64($0.lowerBound).encoded + UInt64($0.upperBound).encoded }
    return magic + CRC32C(of: body.span.bytes).value.encoded + body
  }

  static func decoded(_ bytes: [UInt8]) -> [ByteRange]? {
    guard bytes.count >= 16, bytes.starts(with: magic) else { return nil }
    let body = Array(bytes[12...])
    let count = Int(body.integer(at: 0) as UInt32)
    guard CRC32C(of: body.span.bytes).value == bytes.integer(at: 8), body.count == 4 + 16 * count
    else { return nil }
    return (0..<count).compactMap { index in
      guard let from = Int(exactly: body.integer(at: 4 + 16 * index) as UInt64),
        let until = Int(exactly: body.integer(at: 12 + 16 * index) as UInt64), from < until
      else { return nil }
      return from..<until
    }
  }
}
