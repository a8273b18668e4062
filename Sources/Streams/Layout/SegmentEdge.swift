/// The streams of a section that are read, by their numbers in the packets.
package struct SectionStreams: Hashable, Sendable {
  package var picture: Int?
  package var sound: Int?
  /// Ticks from decoding to showing of a picture that restarts the order of showing.
  package var delay: Int?
}

/// The beginning of a segment of a transport stream: which bytes belong to a segment before.
package struct SegmentEdge: Hashable, Sendable {
  /// Whether the first picture bytes belong to a picture that begins in this segment.
  package enum Picture: Int, Sendable {
    /// The beginning does not show it.
    case unknown = 0
    case own = 1
    /// They go on with a picture that began in a segment before.
    case foreign = 2
  }

  /// Bytes of a packet.
  package static let packet = 188
  /// Bytes at the beginning of a segment that usually show its edge: those that are hashed.
  package static let size = SegmentBeginning.size
  /// The most bytes of it that are looked at.
  package static let maxBytes = SegmentBeginning.maxBytes

  /// Bytes in front of the first packet that begins in the segment.
  package var phase = 0
  package var picture: Picture = .unknown
}
