package import Blocks

/// Content that is a function of seed and offset, so any read can be checked without keeping the file.
///
/// The test origin serves the same bytes below `/pattern/`.
package enum Pattern {
  package static func byte(at offset: Int, seed: UInt64 = 0) -> UInt8 {
    var word = UInt64(truncatingIfNeeded: offset >> 3) &+ seed &* 0x9e37_79b9_7f4a_7c15
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    word ^= word >> 31
    return UInt8(truncatingIfNeeded: word >> UInt64(offset & 7) &* 8)
  }

  package static func bytes(_ range: ByteRange, seed: UInt64 = 0) -> [UInt8] {
    range.map { byte(at: $0, seed: seed) }
  }
}
