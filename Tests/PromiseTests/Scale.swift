import Glibc

/// The share of a long count that this run makes: an even choice, or with `FEEDFS_SOAK=2/10` the
/// second tenth of all trials; with `FEEDFS_SEED=7` trial 7 alone.
enum Scale {
  /// Returns the numbers of the trials to make, out of `full`; `few` of them by default.
  static func trials(_ few: Int, of full: Int) -> [Int] {
    if let seed = variable("FEEDFS_SEED").flatMap(Int.init) { return [seed] }
    guard let slice else {
      return few >= full ? Array(0..<full) : (0..<few).map { $0 * full / few }
    }
    return Array(full * (slice.part - 1) / slice.parts..<full * slice.part / slice.parts)
  }

  /// Whether this run is part of a full count.
  static var isFull: Bool { slice != nil }

  private static let slice: (part: Int, parts: Int)? = {
    let numbers = variable("FEEDFS_SOAK")?.split(separator: "/").compactMap { Int($0) } ?? []
    guard numbers.count == 2, numbers[0] >= 1, numbers[0] <= numbers[1] else { return nil }
    return (numbers[0], numbers[1])
  }()

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
