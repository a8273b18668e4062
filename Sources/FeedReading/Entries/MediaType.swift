import Markup

/// The class of the bytes behind an address.
package enum MediaClass: Hashable, Sendable {
  case video, audio, other
  /// Neither type nor address shows the class. Only the origin's answer will.
  case unknown

  package var isMedia: Bool { self == .video || self == .audio }
}

/// Reads media types and file extensions.
package enum MediaType {
  /// Returns the class of the declared type. If the type says nothing, the extension of the address
  /// decides.
  package static func classOf(type: String?, url: String) -> MediaClass {
    declaredClass(type) ?? classOfExtension(pathExtension(of: url))
      ?? (tellsNothing(type) ? .unknown : .other)
  }

  /// Whether a type is missing, or is one that servers and feeds give to any file.
  private static func tellsNothing(_ type: String?) -> Bool {
    guard let type = type.map(simplified), type.contains("/") else { return true }
    return anyFile.contains(type)
  }

  private static let anyFile: Set<String> = [
    "application/octet-stream", "binary/octet-stream", "application/force-download",
    "application/download", "application/unknown", "application/binary", "application/ogg",
    "unknown/unknown", "content/unknown", "application/media", "*/*",
  ]

  /// Returns the class of a media type of video or sound in its usual spelling; nil for all other
  /// types.
  static func classOfFile(type: String) -> MediaClass? {
    fileClasses[type]
  }

  /// Returns the extension for a file's name, without a full stop. The extension of the address is
  /// used if it is one of media and agrees with the type. Otherwise the type decides. If the type
  /// does not tell either, a video gets "mp4", and anything else gets "bin".
  package static func fileExtension(type: String?, url: String) -> String {
    let found = classOf(type: type, url: url)
    let ending = pathExtension(of: url)
    if found.isMedia, classOfExtension(ending) == found { return ending }
    if let type, let known = extensions[simplified(type)] { return known }
    return found == .video ? "mp4" : "bin"
  }

  /// Returns the extension for the name of a media file. For a web page, and for a file of unknown
  /// class, this is "mp4". The file that is made of a stream is a Matroska file.
  package static func fileExtension(of media: Media) -> String {
    if media.isStream { return media.streamClass == .audio ? "mka" : "mkv" }
    let isKnown = !media.isPage && classOf(type: media.type, url: media.url) != .unknown
    return isKnown ? fileExtension(type: media.type, url: media.url) : "mp4"
  }

  /// Returns the codecs that a type names, as in `video/mp4; codecs="avc1.640028, mp4a.40.2"`; nil
  /// if it names none.
  static func codecs(in type: String?) -> String? {
    // Hardly any type has parameters. So this looks for "=" first, because to search for a word is
    // slow.
    guard let type, type.has(Byte.equals),
      let start = type.firstRange(of: "codecs=")?.upperBound
    else { return nil }
    let value = type[start...]
    return value.hasPrefix("\"")
      ? String(value.dropFirst().prefix { $0 != "\"" }).nonEmpty
      : String(value.prefix { $0 != ";" }).trimmed.nonEmpty
  }

  /// Returns the extension in the path of an address, in lower case and without the full stop;
  /// empty if there is none.
  package static func pathExtension(of url: String) -> String {
    var url = url
    return url.withUTF8 { bytes in
      let place = placeOfExtension(in: bytes)
      let ending = UnsafeBufferPointer(rebasing: bytes[place])
      let isLower = ending.allSatisfy { (0x61...0x7A).contains($0) || Byte.isDigit($0) }
      let text = String(decoding: ending, as: UTF8.self)
      return isLower ? text : text.lowercased()
    }
  }

  private static func placeOfExtension(in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
    var end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == Byte.hash } ?? bytes.count
    var start = 0
    // RFC 3986 §3: two slashes at the beginning, or behind the scheme, begin a host.
    let slash = bytes[..<end].firstIndex(of: Byte.slash)
    if let slash, slash + 1 < end, bytes[slash + 1] == Byte.slash,
      slash == 0 || bytes[slash - 1] == Byte.colon
    {
      start = bytes[(slash + 2)..<end].firstIndex(of: Byte.slash) ?? end
    } else if let colon = bytes[..<(slash ?? end)].firstIndex(of: Byte.colon) {
      start = colon + 1
    }
    while end > start, bytes[end - 1] == Byte.slash { end -= 1 }
    if let slash = bytes[start..<end].lastIndex(of: Byte.slash) { start = slash + 1 }
    guard let dot = bytes[start..<end].lastIndex(of: UInt8(ascii: ".")) else { return end..<end }
    return (dot + 1)..<end
  }

  /// Turns "Video/MP4; codecs=…" into "video/mp4".
  package static func normalized(_ type: String?) -> String? {
    guard let type else { return nil }
    let isPlain = type.utf8.allSatisfy {
      (0x21...0x7E).contains($0) && $0 != Byte.semicolon
        && !(0x41...0x5A).contains($0)
    }
    return isPlain ? type.nonEmpty : type.prefix { $0 != ";" }.lowercased().trimmed.nonEmpty
  }

  /// Returns the class of a declared type; nil for a type that says nothing, such as
  /// "application/octet-stream", "none" or "mp4".
  static func declaredClass(_ type: String?) -> MediaClass? {
    if let type, let known = fileClasses[type] { return known }
    guard let type = type.map(simplified) else { return nil }
    if let known = exceptions[type] { return known }
    switch type.prefix(while: { $0 != "/" }) {
    case "video": return .video
    case "audio": return .audio
    case "image", "text", "font", "model", "multipart", "message": return .other
    default: return nil
    }
  }

  /// Returns the class of an extension in lower case; nil for an unknown extension.
  static func classOfExtension(_ ending: String) -> MediaClass? {
    extensionClasses[ending]
  }

  /// Turns "x-audio/x-mp3" into "audio/mp3".
  private static func simplified(_ type: String) -> String {
    let type = normalized(type) ?? ""
    guard type.utf8.contains(UInt8(ascii: "x")), type.contains("x-") else { return type }
    return type.split(separator: "/").map { part in
      part.hasPrefix("x-") ? part.dropFirst(2) : part
    }.joined(separator: "/")
  }

  // MARK: - Tables

  private static let extensionClasses: [String: MediaClass] = [
    MediaClass.video: videoExtensions, .audio: audioExtensions, .other: otherExtensions,
  ].reduce(into: [:]) { classes, list in
    for ending in list.value { classes[ending] = list.key }
  }

  /// The classes of the types in `extensions`, without those in `exceptions`.
  private static let fileClasses: [String: MediaClass] =
    extensions.keys.reduce(into: [:]) { classes, type in
      guard exceptions[type] == nil else { return }
      classes[type] = type.hasPrefix("video/") ? .video : .audio
    }

  private static let videoExtensions = [
    "mp4", "m4v", "mov", "qt", "webm", "mkv", "avi", "wmv", "asf", "mpg", "mpeg", "mpe", "m2v",
    "m2ts", "mts", "ts", "ogv", "ogm", "flv", "f4v", "3gp", "3g2", "divx", "vob", "rmvb",
  ]
  private static let audioExtensions = [
    "mp3", "m4a", "m4b", "aac", "ogg", "oga", "opus", "spx", "flac", "wav", "wma", "aif", "aiff",
    "mka", "mp2", "weba", "ac3", "amr", "mid", "midi",
  ]
  private static let otherExtensions = [
    "jpg", "jpeg", "png", "gif", "webp", "svg", "avif", "bmp", "ico", "torrent", "m3u8", "m3u",
    "mpd", "swf", "html", "htm", "xhtml", "pdf", "epub", "zip", "gz", "txt", "vtt", "srt", "json",
    "xml", "rss", "atom", "opml", "ass", "ssa", "sub", "nfo", "md", "csv", "ics", "css", "js",
    "mobi", "azw3", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf",
    "iso", "dmg", "exe", "msi", "apk", "deb", "rpm", "jar", "tar", "tgz", "bz2", "xz", "zst",
    "7z", "rar", "tif", "tiff", "heic", "psd", "ttf", "woff", "woff2", "asc", "sig", "md5",
    "sha1", "sha256", "log", "yml", "yaml", "sql",
  ]

  /// Types whose class does not follow from the part before the slash.
  private static let exceptions: [String: MediaClass] = [
    "application/mp4": .video, "application/matroska": .video, "application/bittorrent": .other,
    "application/mpegurl": .other, "application/vnd.apple.mpegurl": .other,
    "audio/mpegurl": .other, "application/dash+xml": .other, "video/vnd.mpeg.dash.mpd": .other,
    "application/shockwave-flash": .other, "application/pdf": .other,
    "application/json": .other, "application/xml": .other, "application/xhtml+xml": .other,
    "application/zip": .other, "application/epub+zip": .other,
  ]

  private static let extensions: [String: String] = [
    "video/mp4": "mp4", "application/mp4": "mp4", "video/m4v": "m4v", "video/quicktime": "mov",
    "video/mov": "mov", "video/webm": "webm", "video/matroska": "mkv", "video/mkv": "mkv",
    "application/matroska": "mkv", "video/ogg": "ogv", "video/theora": "ogv",
    "video/mpeg": "mpg", "video/mpg": "mpg", "video/mp2t": "ts", "video/msvideo": "avi",
    "video/avi": "avi", "video/ms-wmv": "wmv", "video/wmv": "wmv", "video/ms-asf": "asf",
    "video/flv": "flv", "video/f4v": "f4v", "video/3gpp": "3gp", "video/3gpp2": "3g2",
    "audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/mpeg3": "mp3", "audio/mpg": "mp3",
    "audio/mp4": "m4a", "audio/m4a": "m4a", "audio/m4b": "m4b", "audio/aac": "aac",
    "audio/aacp": "aac", "audio/ogg": "ogg", "audio/vorbis": "ogg", "audio/opus": "opus",
    "audio/speex": "spx", "audio/flac": "flac", "audio/wav": "wav", "audio/wave": "wav",
    "audio/vnd.wave": "wav", "audio/ms-wma": "wma", "audio/aiff": "aiff",
    "audio/matroska": "mka", "audio/webm": "weba", "audio/ac3": "ac3", "audio/amr": "amr",
  ]
}
