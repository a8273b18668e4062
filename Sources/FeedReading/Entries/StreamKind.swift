/// The format of a stream's document: an HLS playlist or a DASH manifest.
package enum StreamKind: String, Hashable, Codable, Sendable {
  case hls = "HLS"
  case dash = "DASH"

  /// The kind as status and reports show it: "HLS stream".
  package var words: String { "\(rawValue) stream" }

  /// Finds the kind from a media type in lower case and the ending of an address; nil for anything
  /// else.
  ///
  /// The ending of the address counts first. A plain `.m3u` lists files, unless its type is that of
  /// HLS (RFC 8216 §4).
  init?(type: String, ending: String) {
    switch ending {
    case "m3u8": self = .hls
    case "mpd": self = .dash
    default:
      if type.hasSuffix("mpegurl") {
        guard !type.hasPrefix("audio/") || type.hasSuffix("apple.mpegurl") else { return nil }
        self = .hls
      } else if type.hasSuffix("dash+xml") || type.hasSuffix("mpeg.dash.mpd") {
        self = .dash
      } else {
        return nil
      }
    }
  }

  /// The media type that stands for the kind if the address does not show it.
  var mediaType: String {
    switch self {
    case .hls: "application/vnd.apple.mpegurl"
    case .dash: "application/dash+xml"
    }
  }
}

extension Media {
  /// The kind of stream at the address; nil if it is none.
  package var streamKind: StreamKind? {
    StreamKind(type: type ?? "", ending: MediaType.pathExtension(of: url))
  }

  /// Whether the address is that of an HLS playlist or a DASH manifest.
  package var isStream: Bool { streamKind != nil }

  /// The class of the file that is made of a stream. By default a stream has a picture. The type
  /// `audio/mpegurl` says nothing: HLS films often have it.
  package var streamClass: MediaClass {
    let isSound = type.map { $0 == "audio" || $0.hasPrefix("audio/") && !$0.hasSuffix("mpegurl") }
    return isSound == true || MediaFormat.isSoundAlone(codecs) ? .audio : .video
  }
}
