/// Makes the index of a strand of fragmented MP4 out of its head, its fragments and the samples of
/// its first fragment.
package struct MovieStrand {
  private let initialisation: [UInt8]
  private var tracks: [StrandIndex.Track]

  /// - Parameters:
  ///   - initialisation: the bytes of the head, for the identity.
  ///   - first: the samples of the first `moof`.
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
    // A track without samples in the first fragment begins with the others.
    let others = known.values.min() ?? 0
    tracks = head.tracks.map { track in
      // The most frequent duration; of equally frequent ones the shorter.
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

  /// The time of the first sample of the picture, or of the sound if there is none; nanoseconds.
  var earliest: Int {
    (tracks.first { $0.description.isVideo } ?? tracks[0]).earliest
  }

  /// Adds nanoseconds to the times of all tracks.
  mutating func move(by nanoseconds: Int) {
    for place in tracks.indices { tracks[place].earliest &+= nanoseconds }
  }

  func index(_ fragments: [StrandIndex.Fragment], end: Int) throws(StreamError) -> StrandIndex {
    guard !fragments.isEmpty else { throw .malformed("a film without fragments") }
    return StrandIndex(
      format: .movie, initialisation: initialisation, tracks: tracks, fragments: fragments,
      end: end)
  }

  /// A fragment for which a playlist gives only the duration.
  package struct Segment {
    package var resource = 0
    package let bytes: Range<Int>
    /// Nanoseconds.
    package let duration: Int
    package var isGap = false
    package var key: FragmentKey?
  }

  /// Places segments one after the other. The first begins where its first picture does.
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
