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
  package var codecPrivate: [UInt8] = []
  /// Three letters (ISO 639-2); "und" if the stream does not say.
  package var language = "und"
  /// Ticks a second, in which the times of samples are given.
  package var timescale: Int
  /// Nanoseconds that a sample of this track usually lasts.
  package var defaultDuration: Int?
  /// Nanoseconds of sound that the decoder makes before the first that is heard.
  package var codecDelay = 0
  /// Nanoseconds that must be decoded before a place, for its sound to be right.
  package var seekPreRoll = 0

  package var isVideo: Bool {
    if case .video = kind { true } else { false }
  }
}
