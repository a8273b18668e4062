/// The packet identifiers (PID) of the picture and the sound that are read in a section of a
/// transport stream. One that the section lacks is nil.
package struct SectionStreams: Hashable, Sendable {
  package var picture: Int?
  package var sound: Int?
  /// The presentation time minus the decoding time of a picture that restarts the display order, in
  /// ticks; nil if it is not known.
  package var delay: Int?
}

/// How a segment of a transport stream begins: which of its bytes belong to earlier segments.
package struct SegmentEdge: Hashable, Sendable {
  /// Tells to which picture the segment's first bytes of pictures belong.
  package enum Picture: Int, Sendable {
    /// The bytes that were read do not show to which picture they belong.
    case unknown = 0
    /// The first bytes of pictures belong to a picture that begins in this segment.
    case own = 1
    /// The first bytes of pictures belong to a picture that began in an earlier segment.
    case foreign = 2
  }

  /// The size of a transport packet in bytes.
  package static let packet = 188
  /// How many bytes from the beginning of a segment usually show its edge: as many as are hashed.
  package static let size = SegmentBeginning.size
  /// The limit for the first bytes of a segment that are searched for its edge.
  package static let maxBytes = SegmentBeginning.maxBytes

  /// The number of bytes before the first packet that begins in the segment.
  package var phase = 0
  package var picture: Picture = .unknown
}
