/// The fragments that a `sidx` box lists, directly or through further `sidx` boxes.
struct IndexedFragments {
  private(set) var fragments: [StrandIndex.Fragment] = []
  /// The end of the last fragment, in nanoseconds.
  private(set) var end = 0

  private let track: MovieTrack

  /// Reads the index, and the indexes to which it refers. Returns nil if `known` lacks bytes of
  /// them.
  init?(
    _ found: (index: SegmentIndex, end: Int), track: MovieTrack, _ known: inout KnownBytes
  ) throws(StreamError) {
    self.track = track
    guard try read(found.index, end: found.end, level: 1, limit: nil, &known) else { return nil }
    guard !fragments.isEmpty else { throw .malformed("sidx") }
  }

  /// - Parameter limit: where the bytes of this index end, according to the index that refers to
  ///   it; nil for the first index.
  private mutating func read(
    _ index: SegmentIndex, end: Int, level: Int, limit: Int?, _ known: inout KnownBytes
  ) throws(StreamError) -> Bool {
    var place = try MediaTime.sum(end, index.gap)
    var ticks = index.earliest
    for reference in index.references {
      let (start, next) = (place, try MediaTime.sum(place, reference.size))
      guard next <= known.length else { throw .malformed("sidx") }
      let after = try MediaTime.sum(ticks, reference.duration)
      if reference.isIndex {
        guard level < StreamLimit.indexLevels.value else {
          throw .tooLarge(StreamLimit.indexLevels.rawValue)
        }
        guard let (inner, innerEnd) = try Self.index(start..<next, &known),
          try read(inner, end: innerEnd, level: level + 1, limit: next, &known)
        else { return false }
      } else if reference.size > 0 {
        let time = try self.time(ticks, index)
        self.end = try self.time(after, index)
        fragments.append(
          .init(
            bytes: start..<next, start: time, duration: max(0, self.end - time),
            isKey: reference.isKey))
        try StreamLimit.segments.check(fragments.count)
      }
      (place, ticks) = (next, after)
    }
    // An index must list all bytes up to its limit. Otherwise the file would lack the other bytes
    // without notice.
    guard limit == nil || limit == place && index.gap == 0 else { throw .malformed("sidx") }
    return true
  }

  private func time(_ ticks: Int, _ index: SegmentIndex) throws(StreamError) -> Int {
    // If the timescales are equal, one division is enough. It rounds in the same way as for the
    // times of samples.
    if index.timescale == track.description.timescale {
      return try MediaTime.nanoseconds(
        MediaTime.difference(ticks, track.shift), timescale: index.timescale)
    }
    return try MediaTime.difference(
      MediaTime.nanoseconds(ticks, timescale: index.timescale),
      MediaTime.nanoseconds(track.shift, timescale: track.description.timescale))
  }

  private static func index(
    _ range: Range<Int>, _ known: inout KnownBytes
  ) throws(StreamError) -> (SegmentIndex, end: Int)? {
    let start = range.lowerBound
    guard
      let first = known.read(
        start..<min(range.upperBound, start + BoxHeader.maxBytes), ahead: min(range.count, 16 << 10)
      )
    else { return nil }
    let header = try BoxHeader(first, left: range.count)
    guard header.type == "sidx", header.size <= range.count else { throw .malformed("sidx") }
    try StreamLimit.index.check(header.size)
    guard let bytes = known.read(start..<start + header.size) else { return nil }
    let box = Box(type: header.type, body: bytes.dropFirst(header.headerSize))
    return (try SegmentIndex(box), start + header.size)
  }
}
