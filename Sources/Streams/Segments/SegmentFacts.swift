package import Blocks

/// The facts about one segment that an index needs, besides what its playlist says.
package struct SegmentFacts: Equatable, Sendable {
  /// The place of its bytes in its resource, as they lie there; nil if the segment is missing.
  package var bytes: Range<Int>?
  /// The plain bytes at its beginning; empty if they were not needed.
  package var beginning: [UInt8]
  /// The resource version that `beginning` comes from, if these bytes lie unchanged in the
  /// resource. Nil if they are encrypted there.
  package var version: Representation?
  /// The first bytes, as they lie in the resource; nil if they were not needed.
  package var hashed: SegmentBeginning?
  /// The resource version that `hashed` comes from.
  package var seen: Representation?

  package init(
    bytes: Range<Int>?, beginning: [UInt8] = [], version: Representation? = nil,
    hashed: SegmentBeginning? = nil, seen: Representation? = nil
  ) {
    self.bytes = bytes
    self.beginning = beginning
    self.version = version
    self.hashed = hashed
    self.seen = seen
  }

  /// Bytes of the segment; 0 if it is missing.
  var size: Int { bytes?.count ?? 0 }
}

extension TrackSource {
  /// The segments that the times are read from: the first one of each section that is there. All of
  /// them, if the documents' durations are only nominal.
  ///
  /// - Parameter isThere: returns false for a segment that is missing.
  package func telling(_ isThere: (Int) -> Bool = { _ in true }) -> [Int] {
    let there = segments.indices.filter { !segments[$0].isGap && isThere($0) }
    if hasNominalDurations { return there }
    var known: Set<Int> = []
    return there.filter { known.insert(segments[$0].section).inserted }
  }

  /// Makes the fragment of a segment that begins at `start` of the film.
  ///
  /// - Parameters:
  ///   - start: nanoseconds.
  ///   - keys: the number of keys of the strands before this one.
  func fragment(
    of number: Int, _ facts: SegmentFacts, start: Int, duration: Int, keys: Int
  ) -> StrandIndex.Fragment {
    let segment = segments[number]
    let isGap = segment.isGap || facts.bytes == nil
    return StrandIndex.Fragment(
      resource: segment.part.address, bytes: isGap ? 0..<0 : facts.bytes ?? 0..<0, start: start,
      duration: duration, isGap: isGap, section: segment.section,
      key: isGap
        ? nil
        : segment.part.key.map {
          FragmentKey(number: keys + $0.address, vector: SegmentCipher.bytes(of: $0.vector))
        }, beginning: isGap ? nil : facts.hashed)
  }
}
