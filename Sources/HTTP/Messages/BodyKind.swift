import Blocks

/// Recognizes by its media type or its first bytes that a body is no film.
///
/// Without this check, a short page or playlist would be cached as if it were the film.
package enum BodyKind {
  /// The number of first bytes that are enough to tell.
  static let head = 32

  /// Returns the fault if no film has this media type; nil if a film may have it.
  static func refusal(of type: String) -> ResponseFault? {
    if let list = lists[type] { return .list(list) }
    let isPage =
      pages.contains(type) || type.hasSuffix("+xml") || type.hasSuffix("+json")
      || type.hasPrefix("image/")
    return isPage ? .notMedia(contentType: type.tamed) : nil
  }

  /// Returns the fault if the first bytes show that a body is no film; nil if it may be one. The
  /// media type does not count here.
  static func refusal(ofBeginning bytes: [UInt8]) -> ResponseFault? {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]  // UTF-8's byte order mark
    let text = (bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...])
      .drop { [0x09, 0x0a, 0x0d, 0x20].contains($0) }
    let start = String(decoding: text.prefix(Self.head), as: UTF8.self).lowercased()
    if start.hasPrefix("#extm3u") { return .list("an HLS or M3U playlist") }
    if torrents.contains(where: start.hasPrefix) { return .list("a torrent") }
    if start.hasPrefix("<mpd") { return .list("a DASH manifest") }
    let isPage = ["<!doctype html", "<html", "<?xml"].contains(where: start.hasPrefix)
    return isPage ? .notMedia(contentType: "by its first bytes") : nil
  }

  private static let pages: Set<String> = [
    "text/html", "text/xml", "application/xml", "application/json", "text/css", "text/javascript",
  ]

  private static let lists = [
    "application/vnd.apple.mpegurl": "an HLS playlist", "application/x-mpegurl": "an HLS playlist",
    "application/mpegurl": "an HLS playlist", "vnd.apple.mpegurl": "an HLS playlist",
    "audio/mpegurl": "an HLS or M3U playlist", "audio/x-mpegurl": "an HLS or M3U playlist",
    "audio/x-scpls": "a playlist", "application/dash+xml": "a DASH manifest",
    "application/vnd.ms-sstr+xml": "a Smooth Streaming manifest",
    "application/f4m+xml": "an HDS manifest", "application/x-bittorrent": "a torrent",
  ]

  /// The beginnings of a torrent's bencoded dictionary, by its first key (BEP 3).
  private static let torrents = [
    "d8:announce", "d13:announce-list", "d10:created by", "d13:creation date", "d4:info",
  ]
}
