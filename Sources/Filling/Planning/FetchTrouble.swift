import Blocks
import Quantities

/// The range of a version that the origin fails to send, and the time before which it is not
/// requested again.
///
/// The backoff doubles from half a second to 4.5 s, so reading resumes within 5 s after the fault
/// is gone. The trouble ends when a new byte of the range comes.
package struct FetchTrouble: Sendable {
  private(set) var bytes: ByteRange
  /// The number of answers in a row without a new byte. It is zero again after the readers got an
  /// error.
  private(set) var fruitless = 0
  /// Grows with each fetch that brings nothing, whether an answer came or not.
  private var backoff = Backoff(from: .milliseconds(500), to: .milliseconds(4500))
  /// The time before which `bytes` are not requested again.
  private(set) var notBefore: Duration

  init(_ bytes: ByteRange, at now: Duration) {
    self.bytes = bytes
    notBefore = now
  }

  /// Notes that a fetch of `range` brought nothing, and sets the next backoff, which lasts for
  /// `delay` at least. `jitter` shortens the backoff: by a quarter if it is 0, and not at all if it
  /// is 1.
  mutating func again(
    _ range: ByteRange, answered: Bool, atLeast delay: Duration?, now: Duration, jitter: Double
  ) {
    cover(range)
    fruitless += answered ? 1 : 0
    let wait = backoff.failed() * (0.75 + jitter / 4)
    notBefore = now + max(delay ?? .zero, wait)
  }

  /// Extends `bytes` so that they include `range`.
  mutating func cover(_ range: ByteRange) {
    bytes = min(bytes.lowerBound, range.lowerBound)..<max(bytes.upperBound, range.upperBound)
  }

  /// Notes that the waiting reads have failed. The answers for later reads are counted from zero
  /// again, but the backoff stays.
  mutating func readersAreTold() {
    fruitless = 0
  }
}

/// Random numbers that make many backoffs end at different times. The same seed gives the same
/// sequence.
struct Jitter: Sendable {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// Returns the next number, from 0 to 1 (SplitMix64).
  mutating func next() -> Double {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return Double((word ^ (word >> 31)) >> 11) / Double(1 << 53)
  }
}
