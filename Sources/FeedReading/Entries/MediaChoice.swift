/// The user's choice among the candidates of an entry.
package struct MediaChoice: Hashable, Codable, Sendable {
  /// Whether an entry that has only sound becomes a file too.
  package var audio = false
  /// The limit for the height of the picture in lines; nil for no limit. A taller candidate is
  /// played only if there is no other.
  package var maxHeight: Int?
  /// Whether an entry's web page counts as media if the feed names no other media. A resolver can
  /// then find the media on the page.
  package var pages = false
  /// Containers and codecs, the best first: `MediaFormat.names`. This order decides between
  /// candidates whose pictures are equally high. Nil means that formats which most players play
  /// come first.
  package var prefer: [String]?
  /// Whether a web page counts as media if the feed says that the entry can be watched there.
  package var announcedPages: Bool {
    get { announced ?? false }
    set { announced = newValue ? true : nil }
  }

  /// Whether an HLS or DASH stream counts as media, of which feedfs then makes a file.
  package var streams: Bool {
    get { takesStreams ?? true }
    set { takesStreams = newValue ? nil : false }
  }
  /// The languages of sound and subtitles (BCP 47) in which a stream is wanted, the best first.
  /// Empty means that the stream's own default is taken.
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
