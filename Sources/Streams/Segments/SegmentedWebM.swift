/// Makes the index of a strand from a list of WebM segments: from their sizes, and the first bytes
/// of a few of them.
///
/// A segment is one or more clusters. The first cluster has the time of the segment.
package struct SegmentedWebM {
  private let source: TrackSource
  private let head: WebMHead
  private let initialisation: [UInt8]

  /// - Parameter initialisation: the bytes that come before the segments.
  package init(_ source: TrackSource, initialisation: [UInt8]) throws(StreamError) {
    guard source.keys.isEmpty else {
      throw .unsupported("the WebM segments of the stream are encrypted")
    }
    guard source.sections.count <= 1 else {
      throw .unsupported("the times of the WebM segments begin anew within the stream")
    }
    self.source = source
    (head, self.initialisation) = try WebMFile.head(of: initialisation)
  }

  /// Returns the index of the strand.
  ///
  /// - Parameters:
  ///   - facts: the facts of each segment. Segments in `source.telling` have a beginning.
  ///   - total: the duration of the stream, if its manifest tells it.
  package func index(
    _ facts: [SegmentFacts], total: Duration? = nil
  ) throws(StreamError) -> StrandIndex {
    let segments = source.segments
    guard facts.count == segments.count else { throw .malformed("segments") }
    var starts: [Int: Int] = [:]
    for number in source.telling({ facts[$0].bytes != nil }) {
      starts[number] = try Self.time(of: facts[number])
    }
    guard let first = starts.keys.min(), let earliest = starts[first] else {
      throw .unsupported("the origin has none of the segments of the stream")
    }
    let begin = try MediaTime.difference(earliest, segments[first].start.nanoseconds)
    var fragments: [StrandIndex.Fragment] = []
    var end = begin
    for (number, segment) in segments.enumerated() {
      let planned = try MediaTime.sum(begin, segment.start.nanoseconds)
      let start = source.hasNominalDurations ? starts[number] ?? max(end, planned) : planned
      var duration = segment.duration.nanoseconds
      if source.hasNominalDurations {
        if let next = starts[number + 1] {
          duration = max(0, try MediaTime.difference(next, start))
        } else if let total {
          let left = try MediaTime.difference(MediaTime.sum(begin, total.nanoseconds), start)
          duration = duration == 0 ? max(0, left) : min(max(0, left), duration)
        }
      }
      fragments.append(
        source.fragment(of: number, facts[number], start: start, duration: duration, keys: 0))
      end = try MediaTime.sum(start, duration)
    }
    let tracks = head.tracks.compactMap { track in
      track.description.map {
        StrandIndex.Track(
          source: track.number, description: $0, entry: track.entry, earliest: earliest)
      }
    }
    guard !tracks.isEmpty else { throw .unsupported("the stream has neither picture nor sound") }
    return StrandIndex(
      format: .webm, initialisation: initialisation, tracks: tracks,
      isAll: tracks.count == head.tracks.count, fragments: fragments, end: end)
  }

  /// Returns the time of a segment's first cluster, in nanoseconds.
  private static func time(of facts: SegmentFacts) throws(StreamError) -> Int {
    var rest = facts.beginning[...]
    let cluster = try ElementHeader(rest)
    guard cluster.id == ElementID.cluster else { throw .malformed("a segment without cluster") }
    rest = rest.dropFirst(cluster.headerSize)
    var passed = 0
    while passed < 8 {
      passed += 1
      let header = try ElementHeader(rest)
      guard let size = header.size, size <= rest.count - header.headerSize else { break }
      if header.id == ElementID.timestamp {
        let body = rest.dropFirst(header.headerSize).prefix(size)
        let time = try Element(id: header.id, body: body, level: 2).number
        guard time < 1 << 42 else { throw .tooLarge("time") }
        return time * MediaTime.millisecond
      }
      rest = rest.dropFirst(header.headerSize + size)
    }
    throw .malformed("a cluster without its time")
  }
}
