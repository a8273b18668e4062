package import Blocks

/// Content computed from seed and offset: a test can check any read without a copy of the file.
///
/// The test origin serves the same bytes below `/pattern/`.
package enum Pattern {
  package static func byte(at offset: Int, seed: UInt64 = 0) -> UInt8 {
    UInt8(truncatingIfNeeded: word(at: offset >> 3, seed: seed) >> (UInt64(offset & 7) &* 8))
  }

  package static func bytes(_ range: ByteRange, seed: UInt64 = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count + 8)
    var offset = range.lowerBound & ~7
    while offset < range.upperBound {
      withUnsafeBytes(of: word(at: offset >> 3, seed: seed).littleEndian) {
        bytes.append(contentsOf: $0)
      }
      offset += 8
    }
    let start = range.lowerBound & 7
    return Array(bytes[start..<start + range.count])
  }

  /// The eight bytes from `8 * index` on, the first one lowest (SplitMix64).
  private static func word(at index: Int, seed: UInt64) -> UInt64 {
    var word = UInt64(truncatingIfNeeded: index) &+ seed &* 0x9e37_79b9_7f4a_7c15
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}
