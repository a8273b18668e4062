package import Blocks
import Glibc

/// `Pattern`'s bytes of one version, made once, to be given out and compared quickly.
package struct PatternBody: Sendable {
  package let representation: Representation
  package let bytes: [UInt8]

  /// The first `length` bytes; another `seed` is another version.
  package init(length: Int, seed: UInt64 = 0) {
    bytes = Pattern.bytes(0..<length, seed: seed)
    representation = Representation(length: length, validator: .entityTag("\"\(seed)\""))
  }

  private init(_ bytes: [UInt8], _ representation: Representation) {
    self.bytes = bytes
    self.representation = representation
  }

  /// The same version, cut at `length`.
  package func prefix(_ length: Int) -> PatternBody {
    PatternBody(
      Array(bytes.prefix(length)),
      Representation(length: length, validator: representation.validator))
  }

  package var length: Int { bytes.count }

  /// Whether `other` has exactly the bytes of `range`.
  package func agrees(_ other: RawSpan, with range: ByteRange) -> Bool {
    guard range.clamped(to: 0..<length) == range, other.byteCount == range.count else {
      return false
    }
    return other.withUnsafeBytes { there in
      bytes.withUnsafeBytes { here in
        guard let there = there.baseAddress, let here = here.baseAddress else { return true }
        return memcmp(there, here + range.lowerBound, range.count) == 0
      }
    }
  }
}
