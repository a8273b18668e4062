/// The format of a stream's document: an HLS playlist or a DASH manifest.
package enum StreamKind: String, Hashable, Codable, Sendable {
  case hls = "HLS"
  case dash = "DASH"

  /// The kind as status and reports show it: "HLS stream".
  package var words: String { "\(rawValue) stream" }

  /// Finds the kind from a media type in lower case and the ending of an address; nil for anything
  /// else.
  ///
  /// The ending of the address is looked at first. An `.m3u` document is a list of files, unless
  /// its type is that of HLS (RFC 8216 §4).
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

  /// The media type by which a stream is recognized if its address does not show the kind.
  var mediaType: String {
    switch self {
    case .hls: "application/vnd.apple.mpegurl"
    case .dash: "application/dash+xml"
    }
  }
}

extension Media {
  /// The kind of the stream at the address; nil if there is no stream.
  package var streamKind: StreamKind? {
    StreamKind(type: type ?? "", ending: MediaType.pathExtension(of: url))
  }

  /// Whether the address leads to an HLS playlist or a DASH manifest.
  package var isStream: Bool { streamKind != nil }

  /// The class of the file that is made of a stream. A stream counts as video unless its type or
  /// its codecs say that it is sound. The type `audio/mpegurl` does not say so, because HLS films
  /// often have it.
  package var streamClass: MediaClass {
    let isSound = type.map { $0 == "audio" || $0.hasPrefix("audio/") && !$0.hasSuffix("mpegurl") }
    return isSound == true || MediaFormat.isSoundAlone(codecs) ? .audio : .video
  }
}
