/// The facts that a decoder needs about one track of a stream, in the words of Matroska.
package struct TrackDescription: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// The size in pixels.
    case video(width: Int, height: Int)
    /// Samples a second, and the number of channels.
    case audio(rate: Int, channels: Int)
  }

  package var kind: Kind
  /// The codec's name in Matroska, such as "V_MPEG4/ISO/AVC".
  package var codec: String
  /// The codec's configuration; empty if it needs none.
  package var codecPrivate: [UInt8]
  /// Three letters (ISO 639-2); "und" if the stream does not say.
  package var language: String
  /// Ticks a second, in which the times of samples are given.
  package var timescale: Int
  /// Nanoseconds that a sample of this track usually lasts.
  package var defaultDuration: Int?
  /// Nanoseconds of sound that the decoder makes before the first that is heard.
  package var codecDelay: Int
  /// Nanoseconds that must be decoded before a place, for its sound to be right.
  package var seekPreRoll: Int

  package init(
    kind: Kind, codec: String, codecPrivate: [UInt8] = [], language: String = "und",
    timescale: Int, defaultDuration: Int? = nil, codecDelay: Int = 0, seekPreRoll: Int = 0
  ) {
    self.kind = kind
    self.codec = codec
    self.codecPrivate = codecPrivate
    self.language = language
    self.timescale = timescale
    self.defaultDuration = defaultDuration
    self.codecDelay = codecDelay
    self.seekPreRoll = seekPreRoll
  }

  package var isVideo: Bool {
    if case .video = kind { true } else { false }
  }
}
