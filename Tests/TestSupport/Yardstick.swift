import Glibc

/// How fast this machine is now, by a fixed piece of work.
///
/// A limit of a time holds on a quiet machine of the kind on which it was measured. On a slower one, or
/// beside other work, the limit grows as the piece of work does.
package enum Yardstick {
  /// The time of the piece of work on a quiet AMD EPYC, in release and debug builds alike.
  private static let reference = Duration.milliseconds(4)

  /// How many times slower the machine is than the reference, 1 at least: the worst of a few tries,
  /// because other work comes in bursts.
  package static var slowness: Double {
    let worst = (0..<4).map { _ in ContinuousClock().measure(work) }.max() ?? reference
    return max(1, worst / reference)
  }

  /// Mixes a number, which no compiler can shorten.
  private static func work() {
    var random = SeededRandom(seed: 35)
    var sum: UInt64 = 0
    for _ in 0..<4_000_000 { sum ^= random.next() }
    precondition(sum != 0)
  }
}

extension Duration {
  /// This time on a quiet machine, as it is to be expected here and now.
  package var here: Duration { self * Yardstick.slowness }

  /// This time in whole seconds, for an option of a command. On a slower or busy machine it is up to
  /// three times as long, so that a slow answer still comes in time.
  package var option: String {
    "\(max(1, Int((self * min(3, Yardstick.slowness) / .seconds(1)).rounded())))"
  }
}
