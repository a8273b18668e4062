package import Blocks

/// Where the bytes of one track are, or of several tracks in the same files: initializations, and
/// segments in order.
package struct TrackSource: Hashable, Sendable {
  package var contents: TrackContents
  package var container: StreamContainer
  /// The codecs as the documents name them (RFC 6381); empty if they name none.
  package var codecs: [String] = []
  package var language: String?
  package var title: String?
  /// The size of the picture, if the documents tell it.
  package var width: Int?
  package var height: Int?
  /// Bits per second, if the documents tell them.
  package var bandwidth: Int?
  /// The header fields that requests for these bytes need. They may hold secrets.
  package var headers: [String: String] = [:]
  /// The time before which requests fail, in seconds since 1970; nil if they may begin at once.
  package var begins: Int?

  /// The different addresses of all bytes. They may hold secrets.
  package var addresses: [String] = []
  /// The different addresses of the keys.
  package var keys: [String] = []
  /// The bytes that decoders need before segments; `StreamSegment.initialization` says which.
  package var initializations: [StreamPart] = []
  /// The packets of a transport stream's tables, if its segments have none of their own.
  package private(set) var tables: [UInt8] = []
  package var division: Division
  /// The runs of segments that share a clock, in order. Empty if the file has an index of its own.
  package var sections: [StreamSection] = []

  package enum Division: Hashable, Sendable {
    case segments([StreamSegment])
    /// One file, the first of `addresses`, which has an index of its own. The documents may tell
    /// where the index is, and how long the file is.
    case file(index: ByteRange?, length: Int?)
  }

  /// A segment after the last one, which may not exist. The number of segments was computed from
  /// rounded durations, so it may be too small by one: only a request shows that.
  package var oneMore: StreamSegment?
  /// Whether the source is a file that players can also read as it is. A film is made of it only if
  /// the film would lack nothing of the file.
  package var isPlainFile = false
  /// Whether the durations of segments are only the encoder's target. Times must then be read from
  /// the segments.
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

  /// Returns the track without initializations. `tables` are the packets that they have instead.
  package func withoutHead(tables: [UInt8]) -> TrackSource {
    var track = self
    track.initializations = []
    track.tables = tables
    track.container = .transport
    track.division = .segments(
      segments.map { segment in
        var own = segment
        own.initialization = nil
        return own
      })
    return track
  }

  /// The time at which the last segment ends; nil for a file.
  package var end: Duration? { segments.last.map { $0.start + $0.duration } }
}

/// The kinds of media that are played from the same files.
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
  /// The position of the address in `TrackSource.addresses`.
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
  /// The position of the key's address in `TrackSource.keys`.
  package var address: Int
  /// The initialization vector, as a big-endian number.
  package var vector: UInt128
}

/// A part of a track that is fetched and read as a whole.
package struct StreamSegment: Hashable, Sendable {
  package var part: StreamPart
  /// The time in the film at which the segment begins, according to the documents.
  package var start: Duration
  package var duration: Duration
  /// The position of its initialization in `TrackSource.initializations`; nil if it needs none.
  package var initialization: Int?
  /// The position of its section in `TrackSource.sections`.
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
  /// The time in the film at which the section begins.
  package var start: Duration
  /// The time stamp of the media at `start`; nil if it is the least time stamp of the first
  /// segment.
  package var mediaStart: Duration?
}
