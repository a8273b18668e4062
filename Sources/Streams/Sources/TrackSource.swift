package import Blocks

/// Tells where the bytes of one track are, or of several tracks that share their files:
/// initializations, and segments in order.
package struct TrackSource: Hashable, Sendable {
  package var contents: TrackContents
  package var container: StreamContainer
  /// The codecs as the playlist or manifest names them (RFC 6381); empty if it names none.
  package var codecs: [String] = []
  package var language: String?
  package var title: String?
  /// The size of the picture in pixels, if the playlist or manifest tells it.
  package var width: Int?
  package var height: Int?
  /// Bits per second, if the playlist or manifest tells them.
  package var bandwidth: Int?
  /// The header fields that requests for these bytes need. They can contain secrets.
  package var headers: [String: String] = [:]
  /// The time before which requests fail, in seconds since 1970; nil if requests can begin at once.
  package var begins: Int?

  /// The addresses of all bytes, each once. They can contain secrets.
  package var addresses: [String] = []
  /// The addresses of the keys, each once.
  package var keys: [String] = []
  /// The bytes that decoders need before segments. `StreamSegment.initialization` tells which of
  /// them a segment needs.
  package var initializations: [StreamPart] = []
  /// The packets of a transport stream's tables, if its segments have none of their own.
  package private(set) var tables: [UInt8] = []
  package var division: Division
  /// The runs of segments that share a clock, in order. Empty if the file has an index of its own.
  package var sections: [StreamSection] = []

  package enum Division: Hashable, Sendable {
    case segments([StreamSegment])
    /// One file, the first of `addresses`, which has an index of its own. `index` and `length` are
    /// known only if the playlist or manifest tells them.
    case file(index: ByteRange?, length: Int?)
  }

  /// A segment after the last of `segments`; perhaps it does not exist. The number of segments was
  /// computed from rounded durations, so it can be too small by one. Only a request shows that.
  package var oneMore: StreamSegment?
  /// Whether the source is a file that players can also read unchanged. It is made into another
  /// file only if nothing of it would be lost.
  package var isPlainFile = false
  /// Whether the durations of segments are only the encoder's target, and not exact. If so, times
  /// must be read from the segments.
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
  /// Picture and sound, or only one of them if the files lack the other.
  package static let both: TrackContents = [.picture, .sound]
}

/// Bytes at one of the addresses of a track.
package struct StreamPart: Hashable, Sendable {
  /// The position of the address in `TrackSource.addresses`.
  package var address: Int
  /// The range of the bytes; nil for the whole resource.
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
  /// The time from the beginning of the stream to the segment, as the playlist or manifest tells
  /// it.
  package var start: Duration
  package var duration: Duration
  /// The position of the segment's initialization in `TrackSource.initializations`; nil if the
  /// segment needs none.
  package var initialization: Int?
  /// The position of the segment's section in `TrackSource.sections`.
  package var section: Int
  /// Whether the playlist or manifest says that the segment is missing.
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
  /// The time from the beginning of the stream to the section.
  package var start: Duration
  /// The time stamp of the media at the time `start`. Nil stands for the least time stamp in the
  /// section's first segment.
  package var mediaStart: Duration?
}
