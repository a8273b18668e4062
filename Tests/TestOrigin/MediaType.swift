/// Media types by the extension of a name.
enum MediaType {
  private static let types = [
    "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm",
    "mkv": "video/x-matroska", "mp3": "audio/mpeg", "m4a": "audio/mp4", "ogg": "audio/ogg",
  ]

  /// Nil for what is neither video nor audio.
  static func media(_ name: String) -> String? {
    name.split(separator: ".").last.flatMap { types[$0.lowercased()] }
  }

  static func any(_ name: String) -> String {
    if let type = media(name) { return type }
    if name.hasSuffix(".xml") { return "application/rss+xml" }
    return "application/octet-stream"
  }
}
