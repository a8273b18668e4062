import Glibc

/// Reads that no program makes: 1 byte to 1 MiB, all magnitudes alike, anywhere, and one in sixteen
/// across the end or behind it. The same seed gives the same reads.
struct RandomReads {
  private var state: UInt64
  private let size: Int

  /// - Parameter size: the size of the file in bytes.
  init(seed: UInt64, size: Int) {
    state = seed
    self.size = size
  }

  mutating func next() -> Range<Int> {
    let longest = 1 << Int.random(in: 0...20, using: &self)
    let count = Int.random(in: 1...longest, using: &self)
    let isAtTheEnd = Int.random(in: 0..<16, using: &self) == 0
    let start =
      isAtTheEnd
      ? Int.random(in: size - count...size + count, using: &self)
      : Int.random(in: 0...size - count, using: &self)
    return start..<start + count
  }
}

extension RandomReads: RandomNumberGenerator {
  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}

extension [UInt8] {
  /// Whether these are the bytes of `truth` in `range`; fewer only where `truth` ends.
  func elementsEqual(_ range: Range<Int>, of truth: [UInt8]) -> Bool {
    let expected = range.clamped(to: 0..<truth.count)
    guard count == expected.count else { return false }
    return withUnsafeBytes { mine in
      truth.withUnsafeBytes { theirs in
        guard let mine = mine.baseAddress, let theirs = theirs.baseAddress else { return true }
        return memcmp(mine, theirs + expected.lowerBound, count) == 0
      }
    }
  }
}
