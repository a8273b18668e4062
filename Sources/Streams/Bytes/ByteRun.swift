/// Consecutive bytes, in the separate portions in which they came. When a portion is appended, no
/// earlier byte is moved.
package struct ByteRun {
  private var portions: [ArraySlice<UInt8>] = []
  /// The offset of each portion's first byte.
  private var places: [Int] = []
  package private(set) var end: Int

  /// - Parameter place: the offset of the first byte that will be appended.
  package init(at place: Int) {
    end = place
  }

  package var start: Int { places.first ?? end }
  package var count: Int { end - start }

  /// Two portions that are shorter together are joined by a copy. Else bytes that come one by one
  /// would take up many times their size.
  private static let minPortion = 4 << 10

  /// Appends bytes. The run shares the memory of a long portion.
  package mutating func append(_ portion: ArraySlice<UInt8>) {
    guard !portion.isEmpty else { return }
    if let last = portions.last, last.count + portion.count < Self.minPortion {
      portions[portions.count - 1] += portion
    } else {
      portions.append(portion)
      places.append(end)
    }
    end += portion.count
  }

  /// Returns the bytes from `place` to the end of their portion; none if the run does not contain
  /// `place`.
  package func next(from place: Int) -> ArraySlice<UInt8> {
    guard place >= start, place < end else { return [] }
    var (first, behind) = (0, places.count)
    while behind - first > 1 {
      let middle = (first + behind) / 2
      if places[middle] <= place { first = middle } else { behind = middle }
    }
    return portions[first].dropFirst(place - places[first])
  }

  /// Returns the bytes of `range`; nil if the run lacks some of them.
  package func bytes(_ range: Range<Int>) -> ArraySlice<UInt8>? {
    guard range.lowerBound >= start, range.upperBound <= end else { return nil }
    let first = next(from: range.lowerBound).prefix(range.count)
    guard first.count < range.count else { return first }
    var all: [UInt8] = []
    all.reserveCapacity(range.count)
    while all.count < range.count {
      all += next(from: range.lowerBound + all.count).prefix(range.count - all.count)
    }
    return all[...]
  }

  /// Removes the first portion and returns it.
  package mutating func popFirst() -> ArraySlice<UInt8>? {
    guard !portions.isEmpty else { return nil }
    places.removeFirst()
    return portions.removeFirst()
  }

  /// Removes the portions that end at `place` or before.
  package mutating func forget(before place: Int) {
    var count = 0
    while count < portions.count, places[count] + portions[count].count <= place { count += 1 }
    portions.removeFirst(count)
    places.removeFirst(count)
  }
}
