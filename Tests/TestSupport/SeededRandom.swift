/// A generator that gives the same numbers for the same seed (SplitMix64).
package struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  package mutating func below(_ limit: Int) -> Int {
    Int(truncatingIfNeeded: next() % UInt64(max(1, limit)))
  }

  /// Returns true in `percent` of 100 cases.
  package mutating func chance(_ percent: Int) -> Bool {
    below(100) < percent
  }
}
