/// The facts about one strand that a layout needs: its tracks, and where its fragments are.
package struct StrandIndex: Equatable, Sendable {
  package struct Track: Equatable, Sendable {
    /// The number of the track in the files of the strand.
    package var source: Int
    /// Ticks that are subtracted from the time of each sample.
    package var shift = 0
    package var defaults = SampleDefaults()
    package var description: TrackDescription
    /// The content of the TrackEntry, to be copied; nil if the strand is not WebM.
    package var entry: [UInt8]?
    /// The presentation time of the first sample, in nanoseconds.
    package var earliest: Int
    /// The usual duration of a sample in nanoseconds, if it is known.
    package var sampleDuration: Int?
  }

  package struct Fragment: Equatable, Sendable {
    /// The number of the resource that contains the fragment, counted within the strand.
    package var resource = 0
    package var bytes: Range<Int>
    /// The time of the fragment's beginning in nanoseconds, on the clock of `Track.earliest`.
    package var start: Int
    package var duration: Int
    /// True if decoding can begin at the fragment's first picture.
    package var isKey = true
    package var isGap = false
    package var section = 0
    package var key: FragmentKey?
    /// A hash of the first bytes of the fragment, as they are in its resource; nil if they were not
    /// read.
    package var beginning: SegmentBeginning?
    /// How the fragment begins, if it is a segment of a transport stream; else nil.
    package var edge: SegmentEdge?
    /// How many bytes of following segments the fragment's slot can need.
    package var reserve = 0
  }

  package var format: StrandFormat
  /// The bytes that describe the tracks. The identity of the layout depends on them.
  package var initialisation: [UInt8]
  /// The tracks that are used.
  package var tracks: [Track]
  /// True if the strand's files have no other tracks.
  package var isAll = true
  /// The fragments in the order of their times.
  package var fragments: [Fragment]
  /// The end of the strand in nanoseconds, on the clock of `Track.earliest`.
  package var end: Int
  /// For each section, nanoseconds that are added to the times of its samples.
  package var sections: [Int] = [0]
  /// Contents of the strand's files that are not in `tracks`, in words for the user.
  package var lost: [String] = []
  /// The media of the fragments that were read, compared with their samples.
  package var balance = MediaBalance()
  /// The streams that are read in each section, if the strand is a transport stream; else empty.
  package var streams: [SectionStreams] = []

  /// The number of the strand's resources: one more than the greatest `Fragment.resource`.
  package var resources: Int { (fragments.map(\.resource).max() ?? -1) + 1 }

  package var hasVideo: Bool {
    tracks.contains { $0.description.isVideo }
  }

  /// Returns the index with only the tracks that `isWanted` accepts.
  package func keeping(_ isWanted: (TrackDescription) -> Bool) -> StrandIndex {
    var index = self
    index.tracks = tracks.filter { isWanted($0.description) }
    index.isAll = isAll && index.tracks.count == tracks.count
    return index
  }
}
