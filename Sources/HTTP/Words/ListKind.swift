/// The kinds of lists that an origin can send in place of video or audio.
package enum ListKind: Hashable, Sendable, CaseIterable {
  case hls
  /// Either an HLS playlist or a plain list of files. It is not known which.
  case hlsOrM3U
  case playlist
  case dash
  case smoothStreaming
  case hds
  case torrent

  /// Whether a list of this kind can be an HLS playlist.
  package var mayBeHLS: Bool {
    switch self {
    case .hls, .hlsOrM3U: true
    case .playlist, .dash, .smoothStreaming, .hds, .torrent: false
    }
  }

  /// Whether a list of this kind can describe a stream that feedfs can make into a file.
  package var mayBeStream: Bool { mayBeHLS || self == .dash }

  /// The kind with its article, for messages.
  var words: String {
    switch self {
    case .hls: "an HLS playlist"
    case .hlsOrM3U: "an HLS or M3U playlist"
    case .playlist: "a playlist"
    case .dash: "a DASH manifest"
    case .smoothStreaming: "a Smooth Streaming manifest"
    case .hds: "an HDS manifest"
    case .torrent: "a torrent"
    }
  }
}
