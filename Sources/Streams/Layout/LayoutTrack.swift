/// One track of the file that is made, and the place from which its samples come.
///
/// Its number in the file is its place in `StreamLayout.tracks`, counted from 1.
package struct LayoutTrack: Equatable, Sendable {
  package let strand: Int
  /// The number of the track in its strand's own files.
  package let source: Int
  /// Ticks that are taken from each time.
  package var shift = 0
  package var defaults = SampleDefaults()
  package let description: TrackDescription
}

/// The form in which a strand's fragments come.
package enum StrandFormat: UInt8, Sendable {
  /// Fragments of MP4: `moof` and `mdat`.
  case movie = 1
  /// Clusters of WebM.
  case webm = 2
  /// Segments that must be read whole to find their samples: transport streams, packed sound.
  case samples = 3
}

/// One strand of a stream: a file, or a list of segments, with one or more tracks.
package struct LayoutStrand: Equatable, Sendable {
  package let format: StrandFormat
  /// True if all tracks of the strand's files are used.
  package let isAll: Bool
  /// Nanoseconds that are added to the times of samples in each section. There is one section at
  /// least.
  package var sections: [Int] = [0]
  /// The streams of each section; empty unless they are read out of packets.
  package var streams: [SectionStreams] = []
}
