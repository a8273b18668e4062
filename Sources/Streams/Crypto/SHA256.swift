import CCrypto

/// The hash that identifies layouts and the beginnings of segments (FIPS 180-4).
package enum SHA256 {
  /// - Throws: `unsupported` if libcrypto cannot be loaded.
  package static func hash(_ bytes: [UInt8]) throws(StreamError) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 32)
    let isDone = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe hash.withUnsafeMutableBufferPointer { hash in
        unsafe ccrypto_sha256(bytes.baseAddress, bytes.count, hash.baseAddress)
      }
    }
    guard isDone == 1 else { throw .unsupported("libcrypto cannot be loaded; install OpenSSL") }
    return hash
  }
}
