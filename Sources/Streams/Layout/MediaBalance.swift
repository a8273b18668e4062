/// Compares the media of fragments with the ranges of their samples, and counts the bytes that are
/// only in the media or only in a sample.
package struct MediaBalance: Equatable, Sendable {
  /// The number of bytes of media that are in no sample.
  package private(set) var unclaimed = 0
  /// The number of bytes of samples that are outside of the media.
  package private(set) var outside = 0

  package init() {}

  package var isEven: Bool { unclaimed == 0 && outside == 0 }

  /// - Parameters:
  ///   - media: the contents of `mdat` boxes, in order.
  ///   - samples: the ranges of samples, in any order. They are allowed to overlap.
  package mutating func add(media: [Range<Int>], samples: [Range<Int>]) {
    let claimed = Self.joined(samples)
    let inside = Self.common(media, claimed)
    unclaimed += media.reduce(0) { $0 + $1.count } - inside
    outside += claimed.reduce(0) { $0 + $1.count } - inside
  }

  /// Counts further bytes of media that are in no sample.
  package mutating func pass(_ bytes: Int) { unclaimed += bytes }

  /// The balance in words for the user; nil if both numbers are 0.
  package var words: String? {
    isEven
      ? nil
      : unclaimed > 0
        ? "\(unclaimed) bytes that belong to no picture or sound"
        : "\(outside) bytes of pictures and sound that lie outside of the media data (mdat)"
  }

  package static func + (one: MediaBalance, other: MediaBalance) -> MediaBalance {
    var sum = one
    sum.unclaimed += other.unclaimed
    sum.outside += other.outside
    return sum
  }

  /// Returns ranges of the same bytes in order, without overlap.
  private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var joined: [Range<Int>] = []
    // Samples of one track are in order, so the ranges are nearly sorted.
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
      if let last = joined.last, range.lowerBound <= last.upperBound {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    return joined
  }

  /// Returns how many bytes the two lists have in common. Both must be sorted, without overlap.
  private static func common(_ one: [Range<Int>], _ other: [Range<Int>]) -> Int {
    var (first, second, bytes) = (0, 0, 0)
    while first < one.count, second < other.count {
      bytes += one[first].clamped(to: other[second]).count
      if one[first].upperBound < other[second].upperBound { first += 1 } else { second += 1 }
    }
    return bytes
  }
}
