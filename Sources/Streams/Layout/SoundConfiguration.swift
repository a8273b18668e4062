/// The facts about a sound that a decoder gets once. They must be the same for all frames of the
/// sound.
package struct SoundConfiguration: Hashable, Sendable {
  /// The codec's name in Matroska.
  package let codec: String
  /// Samples per second.
  package let rate: Int
  package let channels: Int
  /// The codec's configuration, in the form of `TrackDescription.codecPrivate`; empty if the codec
  /// needs none.
  package let bytes: [UInt8]

  package init(codec: String, rate: Int, channels: Int, bytes: [UInt8]) {
    (self.codec, self.rate, self.channels, self.bytes) = (codec, rate, channels, bytes)
  }

  /// Makes the configuration of a track; nil if the track is a picture.
  package init?(_ track: TrackDescription) {
    guard case .audio(let rate, let channels) = track.kind else { return nil }
    self.init(codec: track.codec, rate: rate, channels: channels, bytes: track.codecPrivate)
  }

  /// Whether frames with the configuration `other` can follow frames with this configuration. With
  /// Dolby's codecs, the number of channels is allowed to change: broadcasts change it, and
  /// decoders read it from each frame.
  package func fits(_ other: SoundConfiguration) -> Bool {
    let isDolby = codec == "A_AC3" || codec == "A_EAC3"
    return codec == other.codec && rate == other.rate && bytes == other.bytes
      && (isDolby || channels == other.channels)
  }

  /// Returns how `other` differs, in words for the user.
  package func words(for other: SoundConfiguration) -> String {
    "the sound of the stream changes from \(description) to \(other.description)"
  }

  private var description: String {
    let hertz = rate % 1000 == 0 ? "\(rate / 1000)" : "\(Double(rate) / 1000)"
    let name = codec.hasPrefix("A_") ? String(codec.dropFirst(2)) : codec
    let kind = codec == "A_AAC" && bytes.count >= 2 ? " of kind \(bytes[0] >> 3)" : ""
    return "\(name)\(kind) at \(hertz) kHz with \(channels) channel\(channels == 1 ? "" : "s")"
  }
}

extension TrackDescription {
  /// Returns the reason why samples of `other` cannot follow samples of this track, in words for
  /// the user; nil if they can. Of two pictures only the codec is compared, since transport streams
  /// repeat the parameter sets of pictures.
  package func obstacle(to other: TrackDescription) -> String? {
    if let own = SoundConfiguration(self), let next = SoundConfiguration(other) {
      return own.fits(next) ? nil : own.words(for: next)
    }
    return codec == other.codec
      ? nil : "the codec of the stream changes from \(codec) to \(other.codec)"
  }
}
