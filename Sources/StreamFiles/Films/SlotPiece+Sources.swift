import Streams

extension [SlotPiece] {
  /// The ranges of the fragment that the pieces need.
  var ranges: [Range<Int>] {
    compactMap { piece in
      guard case .range(let range) = piece else { return nil }
      return range
    }
  }

  /// One range of the fragment that has all bytes that the pieces need. The ranges of the pieces
  /// must be in order.
  var source: Range<Int> {
    let all = ranges
    return (all.first?.lowerBound ?? 0)..<(all.last?.upperBound ?? 0)
  }

  /// Returns the ranges of the fragment that the pieces need, in order.
  ///
  /// - Parameters:
  ///   - gap: the limit for unneeded bytes between two ranges that are joined.
  ///   - most: the limit for the number of ranges. If there are more, one range that spans all of
  ///     them is returned.
  func sources(joining gap: Int, atMost most: Int) -> [Range<Int>] {
    var joined: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, range.lowerBound - last.upperBound <= gap {
        joined[joined.count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    guard joined.count > most, let first = joined.first, let last = joined.last else {
      return joined
    }
    return [first.lowerBound..<last.upperBound]
  }
}
