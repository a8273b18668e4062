/// Numbers that keep many waits from ending at the same instant; the same seed gives the same row.
struct Jitter: Sendable {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// The next number, from 0 to 1 (SplitMix64).
  mutating func next() -> Double {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return Double((word ^ (word >> 31)) >> 11) / Double(1 << 53)
  }
}
