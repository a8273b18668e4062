/// The state in which the files of a version were last left in order.
///
/// Because it has a checksum, removing the mark needs no flush of its own. If the bitmap changed while
/// the mark stayed on the disk, the two do not match. So it is if others changed the data file since.
struct CleanMark: Hashable, Sendable {
  /// The checksum of the epoch and the bitmap.
  var checksum: UInt32
  /// The data file; nil if an earlier feedfs wrote the mark, which did not note it.
  var data: FileGlance?

  /// The bytes of a header with this record, in which an earlier feedfs had a boot id. No boot id
  /// begins like it.
  private static let place = 28..<64
  private static let magic = Array("left".utf8)

  /// Encodes the record of the data file.
  static func stored(_ data: FileGlance?) -> [UInt8] {
    guard let data else { return [UInt8](repeating: 0, count: place.count) }
    return magic + data.inode.stored + UInt64(bitPattern: Int64(data.size)).stored
      + UInt64(bitPattern: Int64(data.changed)).stored + UInt64(0).stored
  }

  /// Returns the data file that `header` records; nil if it records none.
  static func data(in header: [UInt8]) -> FileGlance? {
    guard header.count >= place.upperBound, header[place].starts(with: magic) else { return nil }
    return FileGlance(
      inode: header.integer(at: 32),
      size: Int(truncatingIfNeeded: header.integer(at: 40) as UInt64),
      changed: Int(truncatingIfNeeded: header.integer(at: 48) as UInt64))
  }
}
