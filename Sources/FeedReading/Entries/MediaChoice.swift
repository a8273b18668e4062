/// The user's choice among the candidates of an entry.
package struct MediaChoice: Hashable, Codable, Sendable {
  /// Whether entries that have only sound are files too.
  package var audio = false
  /// The limit for the lines of the picture; nil for none. A taller candidate is played only if
  /// there is nothing else.
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

  /// Whether an HLS or DASH stream counts as media, because a file is made of it.
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

  /// `announcedPages` as it is saved. Nil means false, because older snapshots have no value.
  private var announced: Bool?
  /// `streams` as it is saved. Nil means true, because older snapshots have no value.
  private var takesStreams: Bool?
  /// `languages` as they are saved. Nil means none, because older snapshots have no value.
  private var tongues: [String]?

  package init() {}
}
