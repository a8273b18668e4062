/// The facts about one track that a decoder needs, in the terms of Matroska.
package struct TrackDescription: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// The size in pixels.
    case video(width: Int, height: Int)
    /// The sample rate in hertz, and the number of channels.
    case audio(rate: Int, channels: Int)
  }

  package var kind: Kind
  /// The codec's name in Matroska, such as "V_MPEG4/ISO/AVC".
  package var codec: String
  /// The codec's configuration; empty if the codec needs none.
  package var codecPrivate: [UInt8] = []
  /// The language in three letters (ISO 639-2); "und" if the stream does not tell it.
  package var language = "und"
  /// The unit of the times of samples, in ticks per second.
  package var timescale: Int
  /// The usual duration of a sample in nanoseconds, if it is known.
  package var defaultDuration: Int?
  /// How many nanoseconds of decoded sound at the beginning of the track are not played.
  package var codecDelay = 0
  /// How many nanoseconds before a wanted time decoding must begin, so that the sound is correct at
  /// that time.
  package var seekPreRoll = 0

  package var isVideo: Bool {
    if case .video = kind { true } else { false }
  }
}
