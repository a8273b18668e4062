/// Media types by file name extension.
enum MediaType {
  private static let types = [
    "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm",
    "mkv": "video/x-matroska", "mp3": "audio/mpeg", "m4a": "audio/mp4", "ogg": "audio/ogg",
  ]

  /// Returns the type of a video or audio file; nil for any other.
  static func media(_ name: String) -> String? {
    name.split(separator: ".").last.flatMap { types[$0.lowercased()] }
  }

  static func any(_ name: String) -> String {
    if let type = media(name) { return type }
    if name.hasSuffix(".xml") { return "application/rss+xml" }
    return "application/octet-stream"
  }
}
