import Markup

/// Recognizes a document's format by its bytes, and describes documents that are no feed.
enum DocumentSniffer {
  enum Format {
    case xml, html, json, list
    /// An HLS playlist.
    case stream
  }

  /// Returns the format of a document by its first bytes.
  ///
  /// - Throws: if the document has none of these formats.
  static func format(of utf8: [UInt8]) throws(FeedError) -> Format {
    guard let first = utf8.first(where: { !Byte.isSpace($0) }) else {
      throw .notAFeed(looksLike: "nothing: the body is empty")
    }
    if first == UInt8(ascii: "{") || first == Byte.openBracket { return .json }
    if starts(utf8, with: "#extm3u") || first != Byte.less && isBareList(utf8) {
      return isStream(utf8) ? .stream : .list
    }
    guard utf8.contains(Byte.less) else { throw .notAFeed(looksLike: plain(utf8)) }
    return HTMLParser.recognizes(utf8) ? .html : .xml
  }

  /// Returns the argument of a call, as in JSONP: `callback([…]);`. Returns nil for other documents.
  static func argument(in utf8: [UInt8]) -> ArraySlice<UInt8>? {
    var rest = utf8.drop(while: Byte.isSpace)
    if rest.starts(with: "/*".utf8) {
      guard let end = rest.firstRange(of: "*/".utf8)?.upperBound else { return nil }
      rest = rest[end...].drop(while: Byte.isSpace)
    }
    let name = rest.prefix { Byte.isLetterOrDigit($0) || "_$.".utf8.contains($0) }
    rest = rest[name.endIndex...].drop(while: Byte.isSpace)
    guard !name.isEmpty, name.count <= 256, rest.first == UInt8(ascii: "(") else { return nil }
    rest = rest.dropFirst().drop(while: Byte.isSpace)
    guard [UInt8(ascii: "{"), Byte.openBracket].contains(rest.first) else { return nil }
    while let last = rest.last, Byte.isSpace(last) || ");".utf8.contains(last) { rest.removeLast() }
    return rest
  }

  /// Whether the list is HLS (RFC 8216). HLS looks like M3U, but a list of files has no tags of
  /// HLS.
  private static func isStream(_ utf8: [UInt8]) -> Bool {
    TextLines(utf8).contains { line in
      line.first == Byte.hash && streamTags.contains { line.starts(with: $0) }
    }
  }

  private static let streamTags = [
    "#EXT-X-TARGETDURATION", "#EXT-X-STREAM-INF", "#EXT-X-MEDIA",
  ].map { Array($0.utf8) }

  /// Whether each of the first lines, up to 20, is an address, a media file or a comment. Comments
  /// alone are no list.
  private static func isBareList(_ utf8: [UInt8]) -> Bool {
    let lines = TextLines(Array(utf8.prefix(4096))).prefix(20).map {
      String(decoding: $0, as: UTF8.self).trimmed
    }
    // The limit of 4096 bytes can cut off the last line.
    let whole = utf8.count > 4096 ? lines.dropLast() : lines[...]
    let addresses = whole.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    return !addresses.isEmpty
      && addresses.allSatisfy { line in
        let isAddress = line.hasPrefix("http://") || line.hasPrefix("https://")
        return isAddress ? !line.contains(" ") : MediaType.classOf(type: nil, url: line).isMedia
      }
  }

  /// Describes a document that is no feed by the name of its root element.
  static func named(root: String) -> String {
    switch root {
    case "html", "head", "body": "an HTML page"
    case "mpd": "a DASH manifest"
    case "urlset", "sitemapindex": "a sitemap"
    default:
      "an XML document with the root element <\(PlainText.printable(String(root.prefix(40))))>"
    }
  }

  /// Describes a document that has no root element.
  static func rootless(_ utf8: [UInt8]) -> String {
    let head = head(utf8)
    let isPage = ["<html", "<!doctype html", "<head", "<body"].contains { head.contains($0) }
    if isPage { return "an HTML page" }
    let isMarkup = utf8.first { !Byte.isSpace($0) } == Byte.less
    return isMarkup ? "an XML document without a root element" : plain(utf8)
  }

  /// The bytes by which a video file is recognized, each with its offset `at` in the file: MP4,
  /// Matroska and WebM, AVI, Ogg.
  private static let films: [(at: Int, bytes: [UInt8])] = [
    (4, Array("ftyp".utf8)), (0, [0x1A, 0x45, 0xDF, 0xA3]), (8, Array("AVI ".utf8)),
    (0, Array("OggS".utf8)),
  ]

  /// The bytes by which a file with only sound is recognized, each with its offset `at` in the
  /// file: MP4 with a brand for sound, MP3 with tags, FLAC.
  private static let sounds: [(at: Int, bytes: [UInt8])] = [
    (4, Array("ftypM4A ".utf8)), (4, Array("ftypM4B ".utf8)), (0, Array("ID3".utf8)),
    (0, Array("fLaC".utf8)),
  ]

  /// Words that occur in the first 128 bytes of a container if it has sound. Their exact places
  /// vary.
  private static let soundWords: [(container: String, words: [String])] = [
    ("OggS", ["\u{1}vorbis", "OpusHead", "\u{7F}FLAC", "Speex "]), ("RIFF", ["WAVE"]),
  ]

  /// Whether the bytes begin like a file that has sound and no picture.
  private static func isSound(_ utf8: [UInt8]) -> Bool {
    let head = utf8.prefix(128)
    return sounds.contains { utf8.dropFirst($0.at).starts(with: $0.bytes) }
      || soundWords.contains { container, words in
        head.starts(with: container.utf8)
          && words.contains { head.firstRange(of: Array($0.utf8)) != nil }
      }
  }

  private static func plain(_ utf8: [UInt8]) -> String {
    let remedy = "a list with its address (M3U) is a feed"
    if isSound(utf8) { return "a sound file; \(remedy)" }
    if films.contains(where: { utf8.dropFirst($0.at).starts(with: $0.bytes) }) {
      return "a video; \(remedy)"
    }
    return utf8.prefix(4096).contains(where: Byte.isControl) ? "binary data" : "plain text"
  }

  private static func starts(_ utf8: [UInt8], with text: String) -> Bool {
    head(utf8).trimmed.hasPrefix(text)
  }

  /// The first 4 KiB in lower case.
  private static func head(_ utf8: [UInt8]) -> String {
    String(decoding: utf8.prefix(4096), as: UTF8.self).lowercased()
  }
}
