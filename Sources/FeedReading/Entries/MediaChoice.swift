/// The user's choice among the candidates of an entry.
package struct MediaChoice: Hashable, Codable, Sendable {
  /// Whether entries with sound only are files too.
  package var audio = false
  /// The most lines of the picture. A taller candidate is played only if there is nothing else.
  package var maxHeight: Int?
  /// Whether the page of an entry counts as media if there is nothing else. A resolver can then find
  /// its media.
  package var pages = false
  /// Containers and codecs, the best first: `MediaFormat.names`. They decide between candidates
  /// with the same lines of picture. Nil means the formats that most players play.
  package var prefer: [String]?
  /// Whether a page counts if the feed says that there is something to watch on it.
  package var announcedPages: Bool {
    get { announced ?? false }
    set { announced = newValue ? true : nil }
  }

  /// Whether an HLS or DASH stream counts as media, as a file made of it.
  package var streams: Bool {
    get { takesStreams ?? true }
    set { takesStreams = newValue ? nil : false }
  }
  /// The languages of sound and subtitles (BCP 47) in which a stream is wanted, the best first. Empty
  /// means the stream's own choice.
  package var languages: [String] {
    get { tongues ?? [] }
    set { tongues = newValue.isEmpty ? nil : newValue }
  }

  /// True if announced pages count; nil means no. Snapshots from before have no value.
  private var announced: Bool?
  /// False if no stream counts; nil means yes. Snapshots from before have no value.
  private var takesStreams: Bool?
  /// The languages; nil for none. Snapshots from before have no value.
  private var tongues: [String]?

  package init() {}
}
