/// The numbers of segments that are encrypted with AES-128 in CBC mode, and padded (RFC 8216 §4.3.2.4,
/// RFC 5652 §6.3).
package enum SegmentCipher {
  /// The bytes of a block, of a key and of a vector. Padding has one block at most.
  package static let block = AES128.block

  /// The bytes of a vector.
  package static func bytes(of vector: UInt128) -> [UInt8] { vector.bigEndianBytes }
}
