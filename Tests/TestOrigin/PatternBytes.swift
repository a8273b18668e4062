/// Content computed from seed and offset, eight bytes at a time.
///
/// The content must agree with `Pattern.byte(at:seed:)` of `TestSupport`, which this program cannot
/// import; a test compares the two over the wire.
enum PatternBytes {
  /// Fills `buffer` with the content at `offset`; offset and size are multiples of 8.
  static func fill(_ buffer: inout [UInt8], from offset: Int, seed: UInt64) {
    let start = UInt64(truncatingIfNeeded: offset >> 3) &+ seed &* 0x9e37_79b9_7f4a_7c15
    buffer.withUnsafeMutableBytes { bytes in
      let words = bytes.bindMemory(to: UInt64.self)
      // No iterator: an unoptimised build spends most of its time in this loop.
      var index = 0
      while index < words.count {
        words[index] = mixed(start &+ UInt64(truncatingIfNeeded: index)).littleEndian
        index += 1
      }
    }
  }

  private static func mixed(_ start: UInt64) -> UInt64 {
    var word = start
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}
