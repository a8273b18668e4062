/// Recognizes a body that is neither video nor audio, by its first bytes and its media type.
///
/// Without this check, a short page or playlist would be cached as if it were the requested media.
package enum BodyKind {
  /// The number of first bytes that are enough to tell what a body is.
  package static let head = 32

  /// Returns the fault if video and audio never have this media type; nil if they can have it.
  static func refusal(of type: String) -> ResponseFault? {
    if let list = lists[type] { return .list(list) }
    let isPage =
      pages.contains(type) || type.hasSuffix("+xml") || type.hasSuffix("+json")
      || type.hasPrefix("image/") || type.hasPrefix("font/")
    return isPage ? .notMedia(contentType: type.tamed) : nil
  }

  /// Returns the fault if the first bytes show that a body is neither video nor audio; nil if it
  /// can be video or audio. The media type is not looked at here.
  static func refusal(ofBeginning bytes: [UInt8]) -> ResponseFault? {
    let text = withoutMark(bytes)
    let start = String(decoding: text.prefix(Self.head), as: UTF8.self).lowercased()
    if start.hasPrefix("#extm3u") { return .list(.hlsOrM3U) }
    if torrents.contains(where: start.hasPrefix) { return .list(.torrent) }
    if start.hasPrefix("<mpd") { return .list(.dash) }
    if isMarkup(bytes) { return .notMedia(contentType: "a page, judging by its first bytes,") }
    if isJSON(bytes) {
      return .notMedia(contentType: "a JSON document, judging by its first bytes,")
    }
    if isPicture(bytes) { return .notMedia(contentType: "a picture, judging by its first bytes,") }
    let other = signatures.first { bytes.starts(with: $0.bytes) }
    return other.map { .notMedia(contentType: "\($0.name), judging by its first bytes,") }
  }

  /// The first bytes of files that are neither video nor audio, and that feeds list beside media.
  private static let signatures: [(bytes: [UInt8], name: String)] = [
    (Array("%PDF-".utf8), "a PDF"), (Array("PK\u{3}\u{4}".utf8), "a ZIP archive"),
    ([0x1F, 0x8B, 0x08], "a gzip archive"), (Array("Rar!\u{1A}\u{7}".utf8), "a RAR archive"),
    ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive"),
    ([0x7F, 0x45, 0x4C, 0x46], "a program"),
  ]

  /// True if `fault` says that the body is an HLS playlist, or can be one.
  static func isPlaylist(_ fault: ResponseFault) -> Bool {
    if case .list(let kind) = fault { kind.mayBeHLS } else { false }
  }

  private static let pages: Set<String> = [
    "text/html", "text/xml", "application/xml", "application/json", "text/css", "text/javascript",
    "application/pdf", "application/zip", "application/epub+zip", "application/gzip",
    "application/x-7z-compressed", "application/vnd.rar", "application/x-rar-compressed",
  ]

  private static let lists: [String: ListKind] = [
    "application/vnd.apple.mpegurl": .hls, "application/x-mpegurl": .hls,
    "application/mpegurl": .hls, "vnd.apple.mpegurl": .hls,
    "audio/mpegurl": .hlsOrM3U, "audio/x-mpegurl": .hlsOrM3U,
    "audio/x-scpls": .playlist, "application/dash+xml": .dash,
    "application/vnd.ms-sstr+xml": .smoothStreaming,
    "application/f4m+xml": .hds, "application/x-bittorrent": .torrent,
  ]

  /// The beginnings of a torrent's bencoded dictionary, by its first key (BEP 3).
  private static let torrents = [
    "d8:announce", "d13:announce-list", "d10:created by", "d13:creation date", "d4:info",
  ]
}
