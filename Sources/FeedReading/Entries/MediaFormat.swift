/// The container and the codec of a candidate, from its type and its address.
package struct MediaFormat: Hashable, Sendable {
  /// The word for the container, such as "mp4"; nil if it is not known.
  let container: String?
  /// The word for the codec of the picture, or of sound alone, such as "av1"; nil if it is not known.
  let codec: String?

  init(of media: Media) {
    // The file that is made of a stream is a Matroska file.
    let ending =
      media.isStream ? "mkv" : MediaType.fileExtension(type: media.type, url: media.url)
    container = Self.containers[ending]
    codec = Self.codec(in: media.codecs) ?? Self.codec(inAddress: media.url)
  }

  /// The words that the user can prefer, in the order that is used without a preference.
  package static let names = standard.flatMap(\.self)

  /// The standard order: formats that most players play come first. The formats of one row are
  /// equally good.
  private static let standard: [[String]] = [
    ["mp4", "h264", "mp3", "aac"], ["webm", "vp8", "vp9", "opus", "vorbis", "ogg"],
    ["mkv", "mov", "ts", "flac", "wav"], ["hevc"], ["av1"], ["mpeg", "avi", "flv", "wmv", "wma"],
    ["ogv", "theora", "3gp"],
  ]

  private static let standardPlaces: [String: Int] = standard.enumerated().reduce(into: [:]) {
    places, row in
    for word in row.element { places[word] = row.offset }
  }

  /// The word that says most about the format.
  var word: String? { codec ?? container }

  /// Returns the place of the format in the user's order, or in the standard one if `words` is nil.
  /// A lower place is better. The codec decides if the order names it, and otherwise the container.
  func place(in words: [String]?) -> Int {
    guard let words else {
      return [codec, container].lazy.compactMap { $0.flatMap { Self.standardPlaces[$0] } }.first
        ?? Self.standard.count
    }
    let usual = codec == nil ? container.flatMap { Self.usualCodecs[$0] } : nil
    return [codec, container, usual].lazy
      .compactMap { word in word.flatMap { words.firstIndex(of: $0) } }.first ?? words.count
  }

  /// How many bits H.264 needs for each bit of this codec, for an equally good picture.
  var efficiency: Double {
    switch codec ?? container.flatMap({ Self.usualCodecs[$0] }) {
    case "av1": 2
    case "hevc", "vp9": 1.6
    case "theora", "mpeg", "wmv", "flv", "mpeg4": 0.5
    default: 1
    }
  }

  /// Whether the codecs of a type name a picture and no sound. A type lists all codecs of a file
  /// (RFC 6381), so such a file has no sound.
  static func isSilent(_ codecs: String?) -> Bool {
    guard codecs != nil else { return false }
    let all = list(codecs)
    guard !all.isEmpty, all.allSatisfy({ $0.contains(".") }) else { return false }
    return all.allSatisfy { name in pictures.contains { name.hasPrefix($0) } }
  }

  /// Whether the codecs of a type name sound and no picture.
  static func isSoundAlone(_ codecs: String?) -> Bool {
    guard codecs != nil else { return false }
    let all = list(codecs)
    return !all.isEmpty && all.allSatisfy { name in sounds.contains { name.hasPrefix($0) } }
  }

  // MARK: Private

  private static func list(_ codecs: String?) -> [Substring] {
    (codecs ?? "").lowercased().split { $0 == "," || $0.isWhitespace }
  }

  private static func codec(in codecs: String?) -> String? {
    guard codecs != nil else { return nil }
    let all = list(codecs)
    return codecNames.first { name in all.contains { $0.hasPrefix(name.0) } }?.1
  }

  /// Returns the codec that a word of the address names, such as "h265" in "talk-h265.mp4"; nil if
  /// no word names one.
  private static func codec(inAddress url: String) -> String? {
    for word in AddressWords(url) {
      if let known = addressWords[word.text] { return known }
    }
    return nil
  }

  /// The codecs by the beginnings of their names, in RFC 6381 and elsewhere. Codecs of pictures
  /// come first, so a film's picture decides.
  private static let codecNames: [(String, String)] = [
    ("avc", "h264"), ("h264", "h264"), ("h.264", "h264"), ("hev", "hevc"), ("hvc", "hevc"),
    ("h265", "hevc"), ("h.265", "hevc"), ("dvh", "hevc"), ("av01", "av1"), ("av1", "av1"),
    ("vp09", "vp9"), ("vp9", "vp9"), ("vp08", "vp8"), ("vp8", "vp8"), ("theora", "theora"),
    ("mp4v", "mpeg4"), ("mp4a.6b", "mp3"), ("mp4a.69", "mp3"), ("mp3", "mp3"), ("mp4a", "aac"),
    ("aac", "aac"), ("opus", "opus"), ("vorbis", "vorbis"), ("flac", "flac"),
  ]
  private static let pictures = ["avc", "hev", "hvc", "dvh", "av01", "vp09", "vp08", "mp4v"]
  private static let sounds = [
    "mp4a", "aac", "mp3", "opus", "vorbis", "flac", "ac-3", "ec-3", "ac3", "eac3",
  ]
  private static let addressWords = [
    "h264": "h264", "x264": "h264", "avc": "h264", "h265": "hevc", "x265": "hevc", "hevc": "hevc",
    "av1": "av1", "vp9": "vp9", "vp8": "vp8", "theora": "theora",
  ]

  /// Containers by the extension of a file's name.
  private static let containers = [
    "mp4": "mp4", "m4v": "mp4", "f4v": "mp4", "mov": "mov", "qt": "mov", "webm": "webm",
    "mkv": "mkv", "ts": "ts", "m2ts": "ts", "mts": "ts", "mpg": "mpeg", "mpeg": "mpeg",
    "mpe": "mpeg", "m2v": "mpeg", "vob": "mpeg", "avi": "avi", "divx": "avi", "wmv": "wmv",
    "asf": "wmv", "flv": "flv", "ogv": "ogv", "ogm": "ogv", "3gp": "3gp", "3g2": "3gp",
    "mp3": "mp3", "mp2": "mp3", "m4a": "aac", "m4b": "aac", "aac": "aac", "ogg": "ogg",
    "oga": "ogg", "opus": "opus", "weba": "opus", "flac": "flac", "wav": "wav", "wma": "wma",
  ]
  private static let usualCodecs = [
    "mp4": "h264", "mov": "h264", "mkv": "h264", "ts": "h264", "webm": "vp9", "ogv": "theora",
    "mpeg": "mpeg", "wmv": "wmv", "flv": "flv", "avi": "mpeg4", "ogg": "vorbis",
  ]
}
