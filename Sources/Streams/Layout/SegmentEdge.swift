/// The streams of a section that are read, by their numbers in the packets.
package struct SectionStreams: Hashable, Sendable {
  package var picture: Int?
  package var sound: Int?
  /// Ticks from decoding to showing of a picture at which the order of showing begins anew.
  package var delay: Int?
}

/// How a segment of a transport stream begins: what of it belongs to a segment before.
package struct SegmentEdge: Hashable, Sendable {
  /// Whether the first bytes of pictures are those of a picture of the segment itself.
  package enum Picture: Int, Sendable {
    /// The beginning does not show it.
    case unknown = 0
    case own = 1
    /// They go on with a picture that began in a segment before.
    case foreign = 2
  }

  /// Bytes of a packet.
  package static let packet = 188
  /// Bytes of a segment's beginning that mostly show how it begins: those that are hashed.
  package static let size = SegmentBeginning.size
  /// The most bytes of it that are looked at.
  package static let most = SegmentBeginning.longest

  /// Bytes in front of the first packet that begins in the segment.
  package var phase = 0
  package var picture: Picture = .unknown
}
