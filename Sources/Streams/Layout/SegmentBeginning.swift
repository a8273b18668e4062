/// A hash of the first bytes of a segment, as they lie in its resource.
///
/// It distinguishes versions of a segment that have the same size, address and tag.
package struct SegmentBeginning: Hashable, Sendable {
  /// Bytes that are asked for where a segment begins with packets: they reach into its samples.
  package static let size = 1 << 10
  /// Bytes that are asked for where tables come before the samples. More are never hashed.
  package static let maxBytes = 4 << 10

  /// Bytes that are hashed; 1 at least.
  package let count: Int
  /// The first 64 bits of their SHA-256.
  package let hash: UInt64

  /// - Throws: `malformed` if a beginning has no bytes, or too many.
  package init(count: Int, hash: UInt64) throws(StreamError) {
    guard (1...Self.maxBytes).contains(count) else { throw .malformed("beginning") }
    (self.count, self.hash) = (count, hash)
  }

  /// Hashes the first bytes, `maxBytes` of them at most.
  ///
  /// - Throws: `malformed` if there are none, `unsupported` if libcrypto cannot be loaded.
  package init(of bytes: ArraySlice<UInt8>) throws(StreamError) {
    let first = bytes.prefix(Self.maxBytes)
    let sum = try SHA256.hash(Array(first))
    try self.init(count: first.count, hash: sum.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Whether bytes begin with those that were hashed. False if they are fewer.
  package func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count >= count else { return false }
    return (try? SegmentBeginning(of: bytes.prefix(count))) == self
  }
}
