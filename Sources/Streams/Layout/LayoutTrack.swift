/// One track of the stream's file, and where its samples come from.
///
/// The track's number in the file is its position in `StreamLayout.tracks`, counted from 1.
package struct LayoutTrack: Equatable, Sendable {
  package let strand: Int
  /// The number of the track in the files of its strand.
  package let source: Int
  /// Ticks that are subtracted from the time of each sample.
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
  /// Segments without a table of samples: transport streams, packed audio.
  case samples = 3
}

/// One strand of a stream: a file, or a list of segments, with one or more tracks.
package struct LayoutStrand: Equatable, Sendable {
  package let format: StrandFormat
  /// True if all tracks of the strand's files are used.
  package let isAll: Bool
  /// For each section, nanoseconds that are added to the times of its samples. There is at least
  /// one section.
  package var sections: [Int] = [0]
  /// The streams that are read in each section, if the strand is a transport stream; else empty.
  package var streams: [SectionStreams] = []
}
