/// The clean mark of a version: the state of its files after their last orderly close.
///
/// The checksum makes it safe to remove the mark without a flush: if the bitmap changes while the
/// disk still has the mark, the checksum does not agree with the bitmap. In the same way `data`
/// shows whether another program has changed the data file.
struct CleanMark: Hashable, Sendable {
  /// The checksum of the epoch and the bitmap.
  var checksum: UInt32
  /// The state of the data file when the mark was made.
  var data: FileGlance

  /// The place of the mark in the header, in bytes.
  private static let place = 20..<64
  private static let magic = Array("left".utf8)

  /// Encodes a mark, or zeros if there is none.
  static func encoded(_ mark: CleanMark?) -> [UInt8] {
    guard let mark else { return [UInt8](repeating: 0, count: place.count) }
    return UInt32(1).encoded + mark.checksum.encoded + magic + mark.data.inode.encoded
      + UInt64(bitPattern: Int64(mark.data.size)).encoded
      + UInt64(bitPattern: Int64(mark.data.changed)).encoded + UInt64(0).encoded
  }

  init(checksum: UInt32, data: FileGlance) {
    self.checksum = checksum
    self.data = data
  }

  /// Reads the mark of a header; nil if it has none.
  init?(in header: [UInt8]) {
    guard header.count >= Self.place.upperBound, header.integer(at: 20) == UInt32(1),
      header[28...].starts(with: Self.magic)
    else { return nil }
    checksum = header.integer(at: 24)
    data = FileGlance(
      inode: header.integer(at: 32),
      size: Int(truncatingIfNeeded: header.integer(at: 40) as UInt64),
      changed: Int(truncatingIfNeeded: header.integer(at: 48) as UInt64))
  }
}
