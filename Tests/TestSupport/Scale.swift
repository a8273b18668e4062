import Glibc

/// The share of a long count that this run makes: a sample, or with `FEEDFS_SOAK=2/10` the second
/// tenth of all trials; with `FEEDFS_SEED=7` trial 7 alone.
///
/// Each run takes another sample. `Tests/run.py` gives it a seed (`FEEDFS_SAMPLE`, else 0) and prints
/// it, so that a run can be repeated.
package enum Scale {
  /// Returns the numbers of the trials to make, out of `full`; `few` of them by default.
  package static func trials(_ few: Int, of full: Int) -> [Int] {
    if let only { return [only] }
    guard let slice else { return sample(few, of: full, seed: seed) }
    return Array(full * (slice.part - 1) / slice.parts..<full * slice.part / slice.parts)
  }

  /// Returns the cases to try, out of `all`; `few` of them by default.
  package static func cases<Case>(_ few: Int, of all: [Case]) -> [Case] {
    trials(few, of: all.count).map { all[$0] }
  }

  /// Whether this run is part of a full count.
  package static var isFull: Bool { slice != nil }

  /// The only trial that this run is about.
  package static let only = variable("FEEDFS_SEED").flatMap { Int($0) }

  /// The seed of this run's samples.
  package static let seed = variable("FEEDFS_SAMPLE").flatMap { Int($0) }.map(\.magnitude) ?? 0

  /// Returns `few` numbers below `full`, in order: one out of each of `few` equal parts. Returns all
  /// of them if `few` is not less than `full`.
  package static func sample(_ few: Int, of full: Int, seed: UInt) -> [Int] {
    guard few < full else { return Array(0..<full) }
    return (0..<few).map { part in
      let (start, end) = (part * full / few, (part + 1) * full / few)
      // Each part has its own turn, so that a run does not take only trials that are alike.
      return start + Int((seed &+ UInt(part) &* 7) % UInt(end - start))
    }
  }

  private static let slice: (part: Int, parts: Int)? = {
    let numbers = variable("FEEDFS_SOAK")?.split(separator: "/").compactMap { Int($0) } ?? []
    guard numbers.count == 2, numbers[0] >= 1, numbers[0] <= numbers[1] else { return nil }
    return (numbers[0], numbers[1])
  }()

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
