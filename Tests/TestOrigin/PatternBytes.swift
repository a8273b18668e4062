/// Content that is a function of seed and offset, eight bytes at a time.
///
/// It must agree with `Pattern.byte(at:seed:)` of `TestSupport`, which this program cannot import;
/// a test compares the two over the wire.
enum PatternBytes {
  /// Fills `buffer` with the content from `offset` on; offset and size are multiples of 8.
  static func fill(_ buffer: inout [UInt8], from offset: Int, seed: UInt64) {
    let start = UInt64(truncatingIfNeeded: offset >> 3) &+ seed &* 0x9e37_79b9_7f4a_7c15
    buffer.withUnsafeMutableBytes { bytes in
      let words = bytes.bindMemory(to: UInt64.self)
      // No iterator: this loop is what an unoptimised build spends its time in.
      var index = 0
      while index < words.count {
        let word = mixed(start &+ UInt64(truncatingIfNeeded: index))
        words[index] = eight(of: word).littleEndian
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

  /// Byte k is the low byte of `(word >> k) * 8`.
  private static func eight(of word: UInt64) -> UInt64 {
    // Twelve bits, four times at a distance of 14: so lane n of 16 bits begins with word >> 2n.
    let lanes: UInt64 = 1 << 42 | 1 << 28 | 1 << 14 | 1
    let five: UInt64 = 0x001f_001f_001f_001f
    let even = ((word & 0xfff) &* lanes & five) << 3
    let odd = ((word >> 1 & 0xfff) &* lanes & five) << 11
    return even | odd
  }
}
