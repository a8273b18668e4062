/// The facts about a sound that a decoder gets once. They must be the same for all its frames.
package struct SoundConfiguration: Hashable, Sendable {
  /// The codec's name in Matroska.
  package let codec: String
  /// Samples a second.
  package let rate: Int
  package let channels: Int
  /// The codec's configuration, as `TrackDescription.codecPrivate`; empty if it needs none.
  package let bytes: [UInt8]

  package init(codec: String, rate: Int, channels: Int, bytes: [UInt8]) {
    (self.codec, self.rate, self.channels, self.bytes) = (codec, rate, channels, bytes)
  }

  /// Returns nil for a picture.
  package init?(_ track: TrackDescription) {
    guard case .audio(let rate, let channels) = track.kind else { return nil }
    self.init(codec: track.codec, rate: rate, channels: channels, bytes: track.codecPrivate)
  }

  /// Whether frames of `other` may follow. Dolby's codecs may change the number of channels:
  /// broadcasts do so, and decoders read it from each frame.
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
  /// Returns the reason why samples of `other` cannot follow those of this track, in words for the
  /// user; nil if they can. Of pictures only the codec is compared, since transport streams repeat
  /// their parameter sets.
  package func obstacle(to other: TrackDescription) -> String? {
    if let own = SoundConfiguration(self), let next = SoundConfiguration(other) {
      return own.fits(next) ? nil : own.words(for: next)
    }
    return codec == other.codec
      ? nil : "the codec of the stream changes from \(codec) to \(other.codec)"
  }
}
