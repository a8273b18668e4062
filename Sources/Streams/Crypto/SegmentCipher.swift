/// The sizes and vectors of encrypted segments: AES-128 in CBC mode, with padding (RFC 8216
/// §4.3.2.4, RFC 5652 §6.3).
package enum SegmentCipher {
  /// The size of a block, of a key and of a vector, in bytes. Padding is at most one block.
  package static let block = AES128.block

  /// Returns the bytes of a vector, the most significant byte first.
  package static func bytes(of vector: UInt128) -> [UInt8] { vector.bigEndianBytes }
}
