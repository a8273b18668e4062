package import Blocks

/// The facts about one segment that an index needs, besides the facts in the playlist.
package struct SegmentFacts: Equatable, Sendable {
  /// The range of the segment's bytes, encrypted or not, in its resource; nil if the segment is
  /// missing.
  package var bytes: Range<Int>?
  /// The first bytes of the segment, decrypted; empty if they were not needed.
  package var beginning: [UInt8]
  /// The version of the resource that `beginning` comes from; nil if the bytes in the resource are
  /// encrypted.
  package var version: Representation?
  /// A hash of the segment's first bytes, as they are in the resource; nil if it was not needed.
  package var hashed: SegmentBeginning?
  /// The version of the resource that `hashed` comes from.
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

  /// The size of the segment in bytes; 0 if it is missing.
  var size: Int { bytes?.count ?? 0 }
}

extension TrackSource {
  /// Returns the segments from which times are read: the first existing segment of each section, or
  /// all existing segments if durations are only nominal.
  ///
  /// - Parameter isThere: returns false for a segment that is missing.
  package func telling(_ isThere: (Int) -> Bool = { _ in true }) -> [Int] {
    let there = segments.indices.filter { !segments[$0].isGap && isThere($0) }
    if hasNominalDurations { return there }
    var known: Set<Int> = []
    return there.filter { known.insert(segments[$0].section).inserted }
  }

  /// Makes the fragment of a segment.
  ///
  /// - Parameters:
  ///   - start: the beginning of the fragment in nanoseconds, on the clock of the strand.
  ///   - keys: how many keys the previous strands have. Those keys come first in the list of all
  ///     keys of the stream.
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
