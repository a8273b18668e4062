/// A codec, made from its name in a playlist or manifest, such as "avc1.64001f" (RFC 6381).
struct StreamCodec: Hashable {
  enum Kind: Hashable {
    case picture, sound, text, other
  }

  let kind: Kind
  /// The word for the codec in `StreamWishes.codecs`.
  let word: String
  /// Whether feedfs can put the codec into a Matroska file, and players then play it.
  let isPlayable: Bool
  /// The rank in the default order: 0 for the codecs that most players play.
  let place: Int

  init(_ name: String) {
    let name = name.lowercased()
    let known = Self.known.first { name.hasPrefix($0.beginning) }
    kind = known?.kind ?? .other
    word = known?.word ?? name
    isPlayable = known?.isPlayable ?? false
    place = known?.place ?? Self.known.count
  }

  /// Returns the codecs of a CODECS attribute, at most 16. Shaka Packager writes "unknown" for a
  /// codec without a name, such as packed MP3. This word is left out.
  static func list(_ text: String?) -> [String] {
    (text ?? "").split { $0 == "," || $0.isWhitespace }.prefix(16).map(String.init)
      .filter { $0 != "unknown" }
  }

  private struct Known {
    let beginning: String
    let kind: Kind
    let word: String
    let place: Int
    var isPlayable = true
  }

  private static let known: [Known] = [
    Known(beginning: "avc", kind: .picture, word: "h264", place: 0),
    Known(beginning: "h264", kind: .picture, word: "h264", place: 0),
    Known(beginning: "vp9", kind: .picture, word: "vp9", place: 1),
    Known(beginning: "vp09", kind: .picture, word: "vp9", place: 1),
    Known(beginning: "vp8", kind: .picture, word: "vp8", place: 1),
    Known(beginning: "vp08", kind: .picture, word: "vp8", place: 1),
    Known(beginning: "hvc", kind: .picture, word: "hevc", place: 2),
    Known(beginning: "hev", kind: .picture, word: "hevc", place: 2),
    Known(beginning: "h265", kind: .picture, word: "hevc", place: 2),
    Known(beginning: "av01", kind: .picture, word: "av1", place: 3),
    Known(beginning: "av1", kind: .picture, word: "av1", place: 3),
    // These forms of Dolby Vision have no base layer that other decoders could play.
    Known(beginning: "dvh", kind: .picture, word: "dolby-vision", place: 9, isPlayable: false),
    Known(beginning: "dva", kind: .picture, word: "dolby-vision", place: 9, isPlayable: false),
    Known(beginning: "dav1", kind: .picture, word: "dolby-vision", place: 9, isPlayable: false),
    Known(beginning: "mp4v", kind: .picture, word: "mpeg4", place: 9, isPlayable: false),
    Known(beginning: "mp4a.69", kind: .sound, word: "mp3", place: 0),
    Known(beginning: "mp4a.6b", kind: .sound, word: "mp3", place: 0),
    Known(beginning: "mp4a.40.34", kind: .sound, word: "mp3", place: 0),
    Known(beginning: "mp4a.a5", kind: .sound, word: "ac3", place: 2),
    Known(beginning: "mp4a.a6", kind: .sound, word: "eac3", place: 2),
    Known(beginning: "mp4a", kind: .sound, word: "aac", place: 0),
    Known(beginning: "aac", kind: .sound, word: "aac", place: 0),
    Known(beginning: "mp3", kind: .sound, word: "mp3", place: 0),
    Known(beginning: "opus", kind: .sound, word: "opus", place: 1),
    Known(beginning: "vorbis", kind: .sound, word: "vorbis", place: 1, isPlayable: false),
    Known(beginning: "ac-3", kind: .sound, word: "ac3", place: 2),
    Known(beginning: "ec-3", kind: .sound, word: "eac3", place: 2),
    Known(beginning: "flac", kind: .sound, word: "flac", place: 3),
    Known(beginning: "ac-4", kind: .sound, word: "ac4", place: 9, isPlayable: false),
    Known(beginning: "dts", kind: .sound, word: "dts", place: 9, isPlayable: false),
    Known(beginning: "stpp", kind: .text, word: "ttml", place: 0),
    Known(beginning: "wvtt", kind: .text, word: "webvtt", place: 0),
  ]
}
