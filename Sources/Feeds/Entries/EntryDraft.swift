/// What an item says of itself, before all items of the feed were seen.
struct EntryDraft {
  /// RSS `guid`, RSS 1.0 `rdf:about`, Atom `id`.
  var guid: String?
  /// `dc:identifier`.
  var identifier: String?
  var title = ""
  /// The title of an extension, where the format's own is missing.
  var otherTitle = ""
  /// Dates of publication as written, the best first.
  var dates: [String] = []
  /// Dates of a change, which stand in for them.
  var changes: [String] = []
  var link: String?
  /// The address of another form of the page, where there is no page.
  var otherLink: String?
  var candidates: [Candidate] = []
  /// Why an address was no candidate, as the end of "its address …".
  var refusal: String?
  /// Whether there is a page to watch it on.
  var hasPlayer = false
  var duration: Double?
  var thumbnail: String?
  var subtitles: [Subtitle] = []
  var chapters: String?
  var chapterMarks: [Chapter] = []
  var season: Int?
  var episode: Int?

  /// Takes an address as one to play, unless it is none that can be asked for.
  mutating func offer(
    _ reference: String?, base: String, source: Candidate.Source,
    describe: (inout Candidate) -> Void
  ) {
    guard let reference else { return }
    switch WebAddress(reference, base: base) {
    case .refused(let reason):
      refusal = refusal ?? reason
    case .usable(let url):
      var candidate = Candidate(media: Media(url: url), source: source)
      describe(&candidate)
      if let index = candidates.firstIndex(where: { $0.media.url == url }) {
        candidates[index].merge(candidate)
      } else if candidates.count < Self.mostCandidates {
        candidates.append(candidate)
      }
    }
  }

  /// More than any entry has, and few enough to be compared with each other.
  private static let mostCandidates = 200

  var published: Int? { (dates + changes).lazy.compactMap(FeedDate.parse).first }

  var shownTitle: String { title.isEmpty ? otherTitle : title }
}
