/// The facts about one strand that a layout needs: its tracks, and where its fragments lie.
package struct StrandIndex: Equatable, Sendable {
  package struct Track: Equatable, Sendable {
    /// The number of the track in the strand's own files.
    package var source: Int
    /// Ticks that are taken from each time.
    package var shift = 0
    package var defaults = SampleDefaults()
    package var description: TrackDescription
    /// The content of a TrackEntry to be copied, if the strand is a WebM file.
    package var entry: [UInt8]?
    /// The time of the first sample, in nanoseconds.
    package var earliest: Int
    /// Nanoseconds that a sample usually lasts, if that is known.
    package var sampleDuration: Int?
  }

  package struct Fragment: Equatable, Sendable {
    /// The resource that holds it, counted within the strand.
    package var resource = 0
    package var bytes: Range<Int>
    /// Nanoseconds, on the clock of `Track.earliest`.
    package var start: Int
    package var duration: Int
    /// True if decoding can begin at its first picture.
    package var isKey = true
    package var isGap = false
    package var section = 0
    package var key: FragmentKey?
    /// The first bytes of the fragment, as they lie in its resource; nil if they were not read.
    package var beginning: SegmentBeginning?
    /// How a segment of a transport stream begins; nil for others.
    package var edge: SegmentEdge?
    /// The most bytes that its slot needs of the segments behind it.
    package var reserve = 0
  }

  package var format: StrandFormat
  /// The bytes that describe the tracks, for the identity.
  package var initialisation: [UInt8]
  /// The tracks that are used.
  package var tracks: [Track]
  /// True if the strand's files have no other tracks.
  package var isAll = true
  /// In the order of their times.
  package var fragments: [Fragment]
  /// The end of the strand, in nanoseconds on the same clock.
  package var end: Int
  /// Nanoseconds that are added to the times of samples in each section.
  package var sections: [Int] = [0]
  /// The parts of the strand's files that are in none of `tracks`, in words for the user.
  package var lost: [String] = []
  /// The media of the fragments that were read, compared with their samples.
  package var balance = MediaBalance()
  /// The streams of each section; empty unless they are read out of packets.
  package var streams: [SectionStreams] = []

  /// The number of the strand's resources, up to the last one that has a fragment.
  package var resources: Int { (fragments.map(\.resource).max() ?? -1) + 1 }

  package var hasVideo: Bool {
    tracks.contains { $0.description.isVideo }
  }

  /// Leaves only the tracks that `isWanted` accepts.
  package func keeping(_ isWanted: (TrackDescription) -> Bool) -> StrandIndex {
    var index = self
    index.tracks = tracks.filter { isWanted($0.description) }
    index.isAll = isAll && index.tracks.count == tracks.count
    return index
  }
}
