/// A stream as its documents describe it: the tracks that were chosen, and where their bytes lie.
///
/// It has all that is known before the first byte of media.
package struct StreamSource: Hashable, Sendable {
  /// The tracks of the file, picture first. Each needs one `TrackSource`, or shares one with others.
  package var tracks: [TrackSource]
  /// The subtitles, one for each sidecar.
  package var texts: [TextSource] = []
  package var chapters: [StreamChapter] = []
  /// The duration of the whole, if the documents have it.
  package var duration: Duration?
  /// The reason for this choice of tracks, in words for the user.
  package var reason: String
  /// The name of the choice. The same tracks have the same name as long as the stream offers them.
  package var choice: String

  package init(tracks: [TrackSource], reason: String, choice: String) {
    self.tracks = tracks
    self.reason = reason
    self.choice = choice
  }

  /// Adds to `reason` the parts of its files that the film lacks.
  package mutating func tell(_ lost: [String]) {
    var told: [String] = []
    for part in lost where !told.contains(part) { told.append(part) }
    if !told.isEmpty { reason += "; left out: " + told.joined(separator: ", ") }
  }

  /// The reason why the stream cannot be read yet. It is looked at again when the feed is.
  package static let live = "it is live, and has no end yet"
}

extension StreamChapter: Hashable {
  package func hash(into hasher: inout Hasher) {
    hasher.combine(start)
    hasher.combine(title)
  }
}

/// The subtitles of one language, which become a sidecar.
package struct TextSource: Hashable, Sendable {
  /// The language as the stream names it (BCP 47); nil if it does not.
  package var language: String?
  package var title: String?
  /// Whether these are the subtitles that are meant to be shown to everybody.
  package var isForced = false
  package var format: Format
  /// The place of the bytes.
  package var place: Place

  package enum Format: Hashable, Sendable {
    case webVTT, subRip, timedText
    /// A text in the boxes of a fragmented MP4; the name is that of its sample entry.
    case boxed(String)
  }

  package enum Place: Hashable, Sendable {
    /// A playlist that has yet to be read (`MediaPlaylist`).
    case playlist(String)
    case file(String)
    /// Segments that a manifest names. The fragment of its address ("#…") identifies them.
    case manifest(String, TrackSource)
  }
}
