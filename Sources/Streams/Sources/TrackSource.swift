package import Blocks

/// The bytes of one track, or of several in the same files: an initialization, and segments in order.
package struct TrackSource: Hashable, Sendable {
  package var contents: TrackContents
  package var container: StreamContainer
  /// The codecs as the documents name them (RFC 6381); empty if they do not.
  package var codecs: [String] = []
  package var language: String?
  package var title: String?
  /// The size of the picture, if it is declared.
  package var width: Int?
  package var height: Int?
  /// Bits per second, if it is declared.
  package var bandwidth: Int?
  /// The header fields that requests for these bytes need. They may hold secrets.
  package var headers: [String: String] = [:]
  /// The time before which the addresses do not answer, in seconds since 1970.
  package var begins: Int?

  /// The addresses of all bytes, each once. They may hold secrets.
  package var addresses: [String] = []
  /// The addresses of the keys, each once.
  package var keys: [String] = []
  /// The bytes that come before segments. A segment names its own.
  package var initializations: [StreamPart] = []
  package var division: Division
  /// The runs of segments with one clock, in order. Empty if the file is divided by its own index.
  package var sections: [StreamSection] = []

  package enum Division: Hashable, Sendable {
    case segments([StreamSegment])
    /// One file: the first of `addresses`. It has an index of its own, perhaps in these bytes.
    case file(index: ByteRange?, length: Int?)
  }

  /// The segment behind the last one, which is there only if the server has it. The number of
  /// segments was computed from rounded durations, and may be too small by one.
  package var oneMore: StreamSegment?
  /// Whether its address is that of a file that players read as it is. A film is made of all of it, or
  /// none is.
  package var isPlainFile = false
  /// Whether the durations are nominal: the encoder's target, not measured. Times must come from
  /// the segments then.
  package var hasNominalDurations = false

  package init(
    _ contents: TrackContents, in container: StreamContainer = .unknown, division: Division
  ) {
    self.contents = contents
    self.container = container
    self.division = division
  }

  package var segments: [StreamSegment] {
    if case .segments(let segments) = division { segments } else { [] }
  }

  /// The end of the last segment; nil for a file.
  package var end: Duration? { segments.last.map { $0.start + $0.duration } }
}

/// The kinds of media in the same files, as far as they are to be played.
package struct TrackContents: OptionSet, Hashable, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) {
    self.rawValue = rawValue
  }

  package static let picture = TrackContents(rawValue: 1)
  package static let sound = TrackContents(rawValue: 2)
  /// Picture and sound, or whichever of them is there.
  package static let both: TrackContents = [.picture, .sound]
}

/// Bytes at one of the addresses of a track.
package struct StreamPart: Hashable, Sendable {
  /// The place of the address in `TrackSource.addresses`.
  package var address: Int
  /// The bytes; nil means all of them.
  package var bytes: ByteRange?
  package var key: SegmentKey?

  package init(address: Int, bytes: ByteRange? = nil, key: SegmentKey? = nil) {
    self.address = address
    self.bytes = bytes
    self.key = key
  }
}

/// The key of an encrypted part (AES-128 in CBC mode).
package struct SegmentKey: Hashable, Sendable {
  /// The place of the key's address in `TrackSource.keys`.
  package var address: Int
  /// The initialization vector, a big-endian number.
  package var vector: UInt128
}

/// A part of a track that is fetched and read as one.
package struct StreamSegment: Hashable, Sendable {
  package var part: StreamPart
  /// The place in the film where the segment begins, as the documents say.
  package var start: Duration
  package var duration: Duration
  /// The place of its initialization in `TrackSource.initializations`.
  package var initialization: Int?
  /// The place of its section in `TrackSource.sections`.
  package var section: Int
  /// Whether the documents say that the segment is missing.
  package var isGap = false

  package init(
    _ part: StreamPart, start: Duration, duration: Duration, initialization: Int? = nil,
    section: Int = 0
  ) {
    self.part = part
    self.start = start
    self.duration = duration
    self.initialization = initialization
    self.section = section
  }
}

/// A run of segments whose time stamps come from one clock.
package struct StreamSection: Hashable, Sendable {
  /// The place in the film where the section begins.
  package var start: Duration
  /// The media time that is at `start`; nil if that is the least time stamp of the first segment.
  package var mediaStart: Duration?
}
