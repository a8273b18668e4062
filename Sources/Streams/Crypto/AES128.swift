import CCrypto

/// The cipher of HLS's `METHOD=AES-128`: AES in CBC mode, with padding as in PKCS #7 (RFC 8216
/// §5.2).
package struct AES128 {
  /// The size of a block, a key and an initialisation vector, in bytes.
  package static let block = 16

  private let key: [UInt8]

  /// - Throws: `malformed` unless the key has 16 bytes.
  package init(key: [UInt8]) throws(StreamError) {
    guard key.count == Self.block else { throw .malformed("key") }
    self.key = key
  }

  /// Decrypts whole blocks. Padding at their end is not removed.
  ///
  /// - Parameter vector: the initialisation vector, or the encrypted block that comes before
  ///   `bytes`.
  package func blocks(
    _ bytes: ArraySlice<UInt8>, vector: [UInt8]
  ) throws(StreamError) -> [UInt8] {
    guard vector.count == Self.block, bytes.count % Self.block == 0, bytes.count < Int32.max else {
      throw .malformed("encrypted bytes")
    }
    if bytes.isEmpty { return [] }
    var plain = [UInt8](repeating: 0, count: bytes.count)
    let isDone = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe key.withUnsafeBufferPointer { key in
        unsafe vector.withUnsafeBufferPointer { vector in
          unsafe plain.withUnsafeMutableBufferPointer { plain in
            unsafe ccrypto_decrypt(
              key.baseAddress, vector.baseAddress, bytes.baseAddress, Int32(bytes.count),
              plain.baseAddress)
          }
        }
      }
    }
    guard isDone == 1 else { throw .unsupported("libcrypto cannot be loaded; install OpenSSL") }
    return plain
  }

  /// Decrypts a whole segment, and removes its padding, if it has one. Some packagers pad with zero
  /// bytes or not at all, and leave bytes that fill no block as they are. All of these bytes are
  /// kept. With a wrong key the bytes are noise. `SlotComposer` and `ClusterMap` find that out.
  package func segment(
    _ bytes: ArraySlice<UInt8>, vector: [UInt8]
  ) throws(StreamError) -> [UInt8] {
    let whole = bytes.count / Self.block * Self.block
    var plain = try blocks(bytes.prefix(whole), vector: vector)
    if whole < bytes.count { return plain + bytes.dropFirst(whole) }
    if let count = plain.last.map(Int.init), (1...Self.block).contains(count),
      plain.suffix(count).allSatisfy({ Int($0) == count })
    {
      plain.removeLast(count)
    }
    return plain
  }
}
