/// The bytes of a resource that have been received so far.
struct KnownBytes {
  /// The length of the whole resource in bytes.
  let length: Int
  /// The range that must be fetched, since the last `read` did not find all its bytes; nil after
  /// `take`.
  private(set) var missing: Range<Int>?
  private var pieces: [(start: Int, bytes: [UInt8])] = []

  init(length: Int) {
    self.length = length
  }

  mutating func take(_ bytes: ArraySlice<UInt8>, at offset: Int) {
    missing = nil
    guard offset >= 0, !bytes.isEmpty, bytes.count <= length - offset else { return }
    // Bytes that continue a piece extend it, so that `read` finds the bytes of a box in one piece.
    if let place = pieces.firstIndex(where: {
      $0.start <= offset && offset <= $0.start + $0.bytes.count
    }) {
      let overlap = pieces[place].start + pieces[place].bytes.count - offset
      pieces[place].bytes += bytes.dropFirst(overlap)
    } else {
      pieces.append((offset, Array(bytes)))
    }
  }

  /// Returns the bytes of a range. If they have not come, returns nil, and `missing` is the range
  /// to fetch.
  ///
  /// - Parameter ahead: how many bytes from the beginning of the range to fetch at least, if any
  ///   are missing.
  mutating func read(_ range: Range<Int>, ahead: Int = 0) -> ArraySlice<UInt8>? {
    var start = range.lowerBound
    for piece in pieces where piece.start <= start && start < piece.start + piece.bytes.count {
      let end = piece.start + piece.bytes.count
      if end >= range.upperBound {
        return piece.bytes[range.lowerBound - piece.start..<range.upperBound - piece.start]
      }
      start = end
      break
    }
    if range.isEmpty { return [] }
    missing = start..<min(length, max(range.upperBound, range.lowerBound + ahead))
    return nil
  }
}
