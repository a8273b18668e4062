package import Blocks

/// The arithmetic of segments that are encrypted with AES-128 in CBC mode, and padded (RFC 8216
/// §4.3.2.4, RFC 5652 §6.3).
package enum SegmentCipher {
  /// The bytes of a block, of a key and of a vector.
  package static let block = 16

  /// Decrypts whole blocks without looking at their padding.
  package typealias Decryption = (
    _ cipher: ArraySlice<UInt8>, _ key: [UInt8], _ vector: [UInt8]
  ) throws(StreamError) -> [UInt8]

  /// The length of a transport stream whose cipher has `length` bytes; nil if no cipher has.
  ///
  /// Packets have 188 bytes and the padding has 1 to 16, so that the length is known before the bytes.
  package static func transportLength(ofCipher length: Int) -> Int? {
    guard length > 0, length % block == 0 else { return nil }
    return (length - 1) / TransportPacket.length * TransportPacket.length
  }

  /// The bytes of a vector.
  package static func bytes(of vector: UInt128) -> [UInt8] { vector.bigEndianBytes }

  /// The bytes of a cipher that must be fetched for a part of the plain bytes.
  package struct Part: Equatable, Sendable {
    /// The blocks, and the block before them unless they are the first.
    package let fetched: ByteRange
    /// The first of them that is wanted, counted in the plain bytes of the blocks.
    package let skipped: Int
    /// Whether the first fetched block is the vector of the others.
    package let beginsWithVector: Bool
  }

  /// Any block can be decrypted with the one before it.
  package static func part(of plain: ByteRange) -> Part {
    let first = plain.lowerBound / block
    let end = (plain.upperBound + block - 1) / block
    return Part(
      fetched: max(0, first - 1) * block..<end * block,
      skipped: plain.lowerBound - first * block, beginsWithVector: first > 0)
  }

  /// Returns the plain bytes of a whole segment.
  ///
  /// - Throws: `malformed` for another length, a bad key, or padding that is none: the key is wrong.
  package static func plain(
    _ cipher: ArraySlice<UInt8>, key: [UInt8], vector: UInt128, by decrypt: Decryption
  ) throws(StreamError) -> [UInt8] {
    guard key.count == block else { throw .malformed("a key of \(key.count) bytes") }
    guard !cipher.isEmpty, cipher.count % block == 0 else {
      throw .malformed("an encrypted segment of \(cipher.count) bytes")
    }
    var plain = try decrypt(cipher, key, bytes(of: vector))
    guard plain.count == cipher.count, let padding = plain.last, (1...16).contains(padding),
      plain.suffix(Int(padding)).allSatisfy({ $0 == padding })
    else { throw .malformed("an encrypted segment, or the key of another one") }
    plain.removeLast(Int(padding))
    return plain
  }
}
