/// Recognizes live streams. They have no end, so a file of one could never be complete.
enum LiveStream {
  /// Returns the sign of a live stream in the head of an answer without a length, in words; nil if
  /// there is no sign. Icecast and SHOUTcast send fields like `icy-name`, or the status line `ICY
  /// 200 OK`.
  static func sign(in head: ResponseHead) -> String? {
    let isRadio =
      head.isICY || head.fields.contains { $0.name.hasPrefix("icy-") || $0.name.hasPrefix("ice-") }
    return isRadio ? "it has the header fields of an internet radio" : nil
  }

  /// The limit of bytes that are read of a playlist to find its end mark. A reader's first request
  /// asks for at least as many bytes.
  static let maxPlaylistBytes = 512 << 10

  /// Returns whether `playlist` is a list of segments to which its origin will add more (RFC 8216
  /// §4.3.3.4). A master playlist, which is a list of playlists, is no such list.
  static func isBroadcast(_ playlist: [UInt8]) -> Bool {
    var hasSegments = false
    for line in playlist.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
      let line = String(decoding: line.prefix(64), as: UTF8.self).trimmed
      if line.hasPrefix("#EXT-X-ENDLIST") || line == "#EXT-X-PLAYLIST-TYPE:VOD" { return false }
      if line.hasPrefix("#EXT-X-TARGETDURATION") { hasSegments = true }
    }
    return hasSegments && playlist.count < maxPlaylistBytes
  }
}
