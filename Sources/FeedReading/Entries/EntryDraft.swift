import Addresses
import Markup

/// The data of one item, before all items of the feed are read.
struct EntryDraft {
  /// RSS `guid`, RSS 1.0 `rdf:about`, Atom `id`.
  var guid: String?
  /// `dc:identifier`.
  var identifier: String?
  var title = ""
  /// The beginning of its text, used for a title if there is none.
  var text = ""
  /// The beginning of its longest text, as `takeNotes` cuts it.
  var notes = ""
  /// The media that its text names, used if none of `candidates` is a file.
  var textMedia = TextMedia()
  /// The title from an extension, used if the format's own is missing.
  var otherTitle = ""
  /// Dates of publication as written, the best first.
  var dates: [String] = []
  /// Dates of changes as written, used if no date of publication can be read.
  var changes: [String] = []
  var link: String?
  /// The address of its page in another form than HTML, used if there is no HTML page.
  var otherLink: String?
  var candidates: [Candidate] = []
  /// Whether the draft is one of several films of an item, and not the first.
  var isPart = false
  /// The reason why an address was refused, as the end of "its address …".
  var refusal: String?
  /// Whether the item is a stream that has no end.
  var isBroadcast = false
  /// Whether the feed says that there is a page on which one can watch the item.
  var hasPlayer = false
  var duration: Double?
  /// The durations of the item that are written with colons. They cannot be milliseconds, whatever
  /// length the feed claims.
  var clocks: Set<Double> = []
  var thumbnail: String?
  var subtitles: [Subtitle] = []
  var chapters: String?
  var chapterMarks: [Chapter] = []
  var season: Int?
  var episode: Int?

  /// The media that a text names.
  struct TextMedia {
    var candidates: [Candidate] = []
    var thumbnail: String?
    var subtitles: [Subtitle] = []
  }

  /// The draft with `textMedia` among its candidates; nil if there is none, or if the draft has a
  /// file already. The id and the name of the entry do not depend on these media, because texts are
  /// edited more often than enclosures.
  var withTextMedia: EntryDraft? {
    guard !textMedia.candidates.isEmpty, candidates.allSatisfy({ $0.unplayable != nil }) else {
      return nil
    }
    var draft = self
    draft.candidates += textMedia.candidates
    draft.thumbnail = thumbnail ?? textMedia.thumbnail
    if subtitles.isEmpty { draft.subtitles = textMedia.subtitles }
    return draft
  }

  /// Returns the seconds of a written duration. Adds them to `clocks` if it has colons.
  mutating func read(duration text: String?) -> Double? {
    guard let text, let seconds = FeedDuration.parse(text) else { return nil }
    if text.utf8.contains(Byte.colon) { clocks.insert(seconds) }
    return seconds
  }

  /// Adds an address as a candidate, and lets `describe` fill in its facts. If the address cannot
  /// be used, only sets `refusal`.
  mutating func offer(
    _ reference: String?, base: String, source: Candidate.Source,
    describe: (inout Candidate) -> Void
  ) {
    guard let reference else { return }
    let url: String
    do {
      url = try WebAddress.resolve(reference, base: base)
    } catch {
      refusal = refusal ?? error.description
      return
    }
    var candidate = Candidate(media: Media(url: url), source: source)
    describe(&candidate)
    if let index = candidates.firstIndex(where: { $0.media.url == url }) {
      candidates[index].merge(candidate)
    } else if candidates.count < Self.maxCandidates {
      candidates.append(candidate)
    }
  }

  /// The limit for the candidates of an entry. No entry has so many, and they are few enough to
  /// compare all pairs.
  private static let maxCandidates = 200

  var published: FeedDate.Moment? {
    dates.lazy.compactMap(FeedDate.moment).first ?? changes.lazy.compactMap(FeedDate.moment).first
  }

  var shownTitle: String { title.isEmpty ? otherTitle : title }
}
