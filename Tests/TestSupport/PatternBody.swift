package import Blocks
import Glibc

/// The bytes of `Pattern` for one version, computed once, for fast serving and comparing.
package struct PatternBody: Sendable {
  package let representation: Representation
  package let bytes: [UInt8]

  /// Creates a version of `length` bytes; each `seed` is another version.
  package init(length: Int, seed: UInt64 = 0) {
    bytes = Pattern.bytes(0..<length, seed: seed)
    representation = Representation(length: length, validator: .entityTag("\"\(seed)\""))
  }

  private init(_ bytes: [UInt8], _ representation: Representation) {
    self.bytes = bytes
    self.representation = representation
  }

  /// Returns the same version, cut to `length` bytes.
  package func prefix(_ length: Int) -> PatternBody {
    PatternBody(
      Array(bytes.prefix(length)),
      Representation(length: length, validator: representation.validator))
  }

  package var length: Int { bytes.count }

  /// True when `other` is exactly the bytes of `range`.
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
