/// Makes the index of a strand of fragmented MP4 from its head, its fragments and the samples of
/// its first fragment.
package struct MovieStrand {
  private let initialisation: [UInt8]
  private var tracks: [StrandIndex.Track]

  /// - Parameters:
  ///   - initialisation: the bytes of the head, on which the identity of the layout depends.
  ///   - first: the samples of the first `moof` box.
  package init(head: MovieHead, initialisation: [UInt8], first: [FragmentSample]) {
    self.initialisation = initialisation
    var earliest: [Int: Int] = [:]
    var durations: [Int: [Int: Int]] = [:]
    for sample in first {
      let (shown, overflow) = sample.time.addingReportingOverflow(sample.composition)
      if !overflow { earliest[sample.track] = min(earliest[sample.track] ?? .max, shown) }
      if sample.duration > 0 {
        durations[sample.track, default: [:]][sample.duration, default: 0] += 1
      }
    }
    var known: [Int: Int] = [:]
    for track in head.tracks {
      guard let first = earliest[track.id],
        let shown = try? MediaTime.difference(first, track.shift)
      else { continue }
      known[track.id] = try? MediaTime.nanoseconds(
        shown, timescale: track.description.timescale)
    }
    // A track without samples in the first fragment gets the earliest beginning of the other
    // tracks.
    let others = known.values.min() ?? 0
    tracks = head.tracks.map { track in
      // The most frequent duration is used; among equally frequent durations, the shortest.
      let usual = durations[track.id]?.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
      let lasting = usual.flatMap {
        try? MediaTime.nanoseconds($0, timescale: track.description.timescale)
      }
      var description = track.description
      if description.isVideo { description.defaultDuration = lasting }
      return StrandIndex.Track(
        source: track.id, shift: track.shift, defaults: track.defaults, description: description,
        earliest: known[track.id] ?? others, sampleDuration: lasting)
    }
  }

  /// The time of the first sample of the picture, or of the sound if there is no picture, in
  /// nanoseconds.
  var earliest: Int {
    (tracks.first { $0.description.isVideo } ?? tracks[0]).earliest
  }

  /// Adds nanoseconds to the time of each track's first sample.
  mutating func move(by nanoseconds: Int) throws(StreamError) {
    for place in tracks.indices {
      tracks[place].earliest = try MediaTime.sum(tracks[place].earliest, nanoseconds)
    }
  }

  func index(_ fragments: [StrandIndex.Fragment], end: Int) throws(StreamError) -> StrandIndex {
    guard !fragments.isEmpty else { throw .malformed("a film without fragments") }
    return StrandIndex(
      format: .movie, initialisation: initialisation, tracks: tracks, fragments: fragments,
      end: end)
  }

  /// A fragment of a playlist. The playlist tells its duration, but not its time.
  package struct Segment {
    package var resource = 0
    package let bytes: Range<Int>
    /// The duration in nanoseconds.
    package let duration: Int
    package var isGap = false
    package var key: FragmentKey?
  }

  /// Makes the index of segments that follow each other in time. The time of the first segment is
  /// the time of its first picture, or of its first sound if there is no picture.
  package func index(_ segments: [Segment]) throws(StreamError) -> StrandIndex {
    let reference = tracks.first { $0.description.isVideo } ?? tracks[0]
    var time = reference.earliest
    var fragments: [StrandIndex.Fragment] = []
    for segment in segments {
      guard segment.duration >= 0 else { throw .malformed("duration") }
      fragments.append(
        .init(
          resource: segment.resource, bytes: segment.bytes, start: time,
          duration: segment.duration, isGap: segment.isGap, key: segment.key))
      time = try MediaTime.sum(time, segment.duration)
    }
    return try index(fragments, end: time)
  }
}
