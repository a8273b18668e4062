import Addresses
import Markup

/// The data that was read of one item of a feed. An entry is made of it.
struct EntryDraft {
  /// RSS `guid`, RSS 1.0 `rdf:about`, Atom `id`.
  var guid: String?
  /// `dc:identifier`.
  var identifier: String?
  var title = ""
  /// The beginning of the item's text. A title is made of it if the item has none.
  var text = ""
  /// The beginning of the item's longest text, as `takeNotes` cuts it.
  var notes = ""
  /// The media that the item's text names. It is used if none of `candidates` is a file.
  var textMedia = TextMedia()
  /// The title in an element of an extension, such as `itunes:title`. It is used if `title` is
  /// empty.
  var otherTitle = ""
  /// Dates of publication as written, the best first.
  var dates: [String] = []
  /// Dates of changes as written, used if no date of publication can be read.
  var changes: [String] = []
  var link: String?
  /// The address of the item's page in a format other than HTML. It is used if there is no HTML
  /// page.
  var otherLink: String?
  var candidates: [Candidate] = []
  /// Whether the draft is one of several films of an item, and not the first.
  var isPart = false
  /// The reason why an address was refused, in the words that follow "its address".
  var refusal: String?
  /// Whether the item is a stream that has no end.
  var isBroadcast = false
  /// Whether the feed says that the item can be watched on a web page.
  var hasPlayer = false
  var duration: Double?
  /// The durations of the item that are written with colons. Such durations are never milliseconds,
  /// whatever length the feed claims.
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

  /// A copy of the draft with `textMedia` among its candidates; nil if the text names no media, or
  /// if the draft has a file already. The id and the name of the entry do not depend on these
  /// media, because texts are edited more often than enclosures.
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

  /// The limit for the candidates of an entry. No real entry has so many, and all pairs of so many
  /// can still be compared.
  private static let maxCandidates = 200

  var published: FeedDate.Moment? {
    dates.lazy.compactMap(FeedDate.moment).first ?? changes.lazy.compactMap(FeedDate.moment).first
  }

  var shownTitle: String { title.isEmpty ? otherTitle : title }
}
