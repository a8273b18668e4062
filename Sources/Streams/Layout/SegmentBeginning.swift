/// A hash of the first bytes of a segment, as they are in its resource.
///
/// The hash distinguishes versions of a segment that have the same size, address and entity tag.
package struct SegmentBeginning: Hashable, Sendable {
  /// How many bytes of a transport stream segment are requested for its hash. They are enough to
  /// reach beyond its tables into its samples.
  package static let size = 1 << 10
  /// How many bytes of any other segment are requested for its hash. Longer tables come before its
  /// samples, so more bytes are needed. It is the limit for all hashes.
  package static let maxBytes = 4 << 10

  /// The number of bytes that were hashed, at least 1.
  package let count: Int
  /// The first 64 bits of the SHA-256 of these bytes.
  package let hash: UInt64

  /// - Throws: `malformed` if `count` is less than 1, or more than `maxBytes`.
  package init(count: Int, hash: UInt64) throws(StreamError) {
    guard (1...Self.maxBytes).contains(count) else { throw .malformed("beginning") }
    (self.count, self.hash) = (count, hash)
  }

  /// Hashes the first bytes of `bytes`, at most `maxBytes` of them.
  ///
  /// - Throws: `malformed` if `bytes` is empty, `unsupported` if libcrypto cannot be loaded.
  package init(of bytes: ArraySlice<UInt8>) throws(StreamError) {
    let first = bytes.prefix(Self.maxBytes)
    let sum = try SHA256.hash(Array(first))
    try self.init(count: first.count, hash: sum.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Whether `bytes` begin with the bytes that were hashed. False if there are fewer bytes.
  package func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count >= count else { return false }
    return (try? SegmentBeginning(of: bytes.prefix(count))) == self
  }
}
