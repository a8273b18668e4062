/// A stream as its playlists or manifest describe it: the chosen tracks, and where their bytes are.
///
/// It contains all facts that are known before media are read.
package struct StreamSource: Hashable, Sendable {
  /// The sources of the chosen tracks, picture first. Tracks that come in the same files share one
  /// source.
  package var tracks: [TrackSource]
  /// The subtitles, one for each sidecar.
  package var texts: [TextSource] = []
  package var chapters: [StreamChapter] = []
  /// The duration of the whole stream; nil if playlists and manifest do not tell it.
  package var duration: Duration?
  /// The reason for this choice of tracks, in words for the user.
  package var reason: String
  /// The name of the choice. It stays the same as long as the stream offers the same tracks.
  package var choice: String

  package init(tracks: [TrackSource], reason: String, choice: String) {
    self.tracks = tracks
    self.reason = reason
    self.choice = choice
  }

  /// Adds to `reason` which contents of the stream its file lacks, such as "subtitles".
  package mutating func tell(_ lost: [String]) {
    var told: [String] = []
    for part in lost where !told.contains(part) { told.append(part) }
    if !told.isEmpty { reason += "; left out: " + told.joined(separator: ", ") }
  }

  /// The reason why a live stream cannot be read yet. A refresh of the feed tries again.
  package static let live = "the stream is still live; try again when it has ended"
}

extension StreamChapter: Hashable {
  package func hash(into hasher: inout Hasher) {
    hasher.combine(start)
    hasher.combine(title)
  }
}

/// The subtitles of one language, which become a sidecar.
package struct TextSource: Hashable, Sendable {
  /// The language as the stream names it (BCP 47); nil if it names none.
  package var language: String?
  package var title: String?
  /// Whether players should show the subtitles even if the viewer has not asked for any.
  package var isForced = false
  package var format: Format
  /// Tells where the bytes of the subtitles are.
  package var place: Place

  package enum Format: Hashable, Sendable {
    case webVTT, subRip, timedText
    /// Text in the samples of fragmented MP4, with the name of its sample entry: "wvtt", "stpp".
    case boxed(String)
  }

  package enum Place: Hashable, Sendable {
    /// The address of a playlist that was not read yet (`MediaPlaylist`).
    case playlist(String)
    case file(String)
    /// Segments that a manifest lists. The part of the address after "#" is the name of the
    /// subtitles for `Manifest.text(named:)`.
    case manifest(String, TrackSource)
  }
}
