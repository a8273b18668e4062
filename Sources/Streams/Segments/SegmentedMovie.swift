/// Makes the index of a strand from a list of MP4 segments: from their sizes, and the first bytes
/// of a few of them.
package struct SegmentedMovie {
  private let source: TrackSource
  private let head: MovieHead
  private let initialisation: [UInt8]

  /// - Parameter initialisation: the bytes that come before the segments, decrypted.
  package init(_ source: TrackSource, initialisation: [UInt8]) throws(StreamError) {
    guard let moov = try Box.all(in: initialisation[...]).first(where: { $0.type == "moov" }) else {
      throw .malformed("a segment list without a moov box")
    }
    self.source = source
    self.initialisation = Array(moov.body)
    head = try MovieHead(moov)
  }

  /// Returns the reason why segments with the head `other` cannot follow segments with the head
  /// `first`, in words for the user.
  package static func obstacle(from first: [UInt8], to other: [UInt8]) -> String {
    let words = "the segments of the stream have different heads (EXT-X-MAP)"
    let heads = [first, other].compactMap { bytes in
      (try? Box.all(in: bytes[...]).first { $0.type == "moov" }).flatMap { try? MovieHead($0) }
    }
    guard heads.count == 2 else { return words }
    let pairs = zip(heads[0].tracks, heads[1].tracks)
    let obstacle = pairs.lazy.compactMap { $0.description.obstacle(to: $1.description) }.first
    return obstacle.map { "\(words): \($0)" } ?? words
  }

  /// Returns how many first bytes of a segment are needed; nil if `beginning` is enough. `size` is
  /// the size of the segment in bytes.
  package static func needs(_ beginning: [UInt8], of size: Int) throws(StreamError) -> Int? {
    var walk = FragmentWalk(size: size)
    try walk.take(beginning[...], at: 0)
    if !walk.moofs.isEmpty { return nil }
    guard let needs = walk.needs else { throw .malformed("a segment without moof") }
    return needs.upperBound
  }

  /// Returns the index of the strand.
  ///
  /// - Parameters:
  ///   - facts: the facts of each segment. Segments in `source.telling` have a beginning that
  ///     contains a `moof`.
  ///   - keys: how many keys the previous strands have. Those keys come first in the list of all
  ///     keys of the stream.
  ///   - total: the duration of the stream, if its manifest tells it.
  package func index(
    _ facts: [SegmentFacts], keys: Int, total: Duration? = nil
  ) throws(StreamError) -> StrandIndex {
    let segments = source.segments
    guard facts.count == segments.count else { throw .malformed("segments") }
    let telling = source.telling { facts[$0].bytes != nil }
    guard let first = telling.first else {
      throw .unsupported("the origin has none of the segments of the stream")
    }
    var movie = MovieStrand(
      head: head, initialisation: initialisation, first: try samples(of: facts[first]))
    let origin = movie.earliest
    let places = segments.map(\.start.nanoseconds)
    var sections = [Int](repeating: 0, count: max(1, source.sections.count))
    var starts: [Int: Int] = [:]
    for number in telling {
      let section = segments[number].section
      let own = try earliest(facts[number], like: movie)
      if starts.isEmpty
        || !telling.contains(where: {
          $0 < number && segments[$0].section == section
        })
      {
        let place = try MediaTime.sum(origin, places[number] - places[first])
        sections[section] =
          source.sections.indices.contains(section)
          ? try offset(of: section, own: own, place: place, isFirst: number == first) : 0
      }
      starts[number] = try MediaTime.sum(own, sections[section])
    }
    try movie.move(by: sections[segments[first].section])
    let begin = try MediaTime.difference(starts[first] ?? 0, places[first])
    var fragments: [StrandIndex.Fragment] = []
    var end = begin
    for (number, segment) in segments.enumerated() {
      let planned = try MediaTime.sum(begin, places[number])
      let start = source.hasNominalDurations ? starts[number] ?? max(end, planned) : planned
      var duration = segment.duration.nanoseconds
      if source.hasNominalDurations {
        if let next = starts[number + 1] {
          duration = max(0, try MediaTime.difference(next, start))
        } else if let total {
          let end = try MediaTime.sum(begin, total.nanoseconds)
          let left = max(0, try MediaTime.difference(end, start))
          duration = duration == 0 ? left : min(left, duration)
        }
      }
      fragments.append(
        source.fragment(of: number, facts[number], start: start, duration: duration, keys: keys))
      end = try MediaTime.sum(start, duration)
    }
    var index = try movie.index(fragments, end: end)
    index.sections = sections
    return index
  }

  /// Returns the nanoseconds that are added to the times of a section. `own` is the section's first
  /// time in the media, and `place` the time at which it should begin.
  private func offset(
    of section: Int, own: Int, place: Int, isFirst: Bool
  ) throws(StreamError) -> Int {
    if let media = source.sections[section].mediaStart {
      return try MediaTime.difference(
        source.sections[section].start.nanoseconds, media.nanoseconds)
    }
    return isFirst ? 0 : try MediaTime.difference(place, own)
  }

  private func samples(of facts: SegmentFacts) throws(StreamError) -> [FragmentSample] {
    var walk = FragmentWalk(size: facts.size)
    try walk.take(facts.beginning[...], at: 0)
    guard let moof = walk.moofs.first else { throw .truncated("segment") }
    var defaults: [Int: SampleDefaults] = [:]
    for track in head.tracks { defaults[track.id] = track.defaults }
    var fragment = MovieFragment(
      defaults: defaults, origin: facts.bytes?.lowerBound ?? 0, size: facts.size)
    try fragment.read(moof.body, at: moof.place)
    return fragment.samples
  }

  private func earliest(
    _ facts: SegmentFacts, like movie: MovieStrand
  ) throws(StreamError) -> Int {
    MovieStrand(head: head, initialisation: [], first: try samples(of: facts)).earliest
  }
}
