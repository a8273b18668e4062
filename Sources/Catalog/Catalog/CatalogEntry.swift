package import FeedReading

/// An entry that has a number: its fixed properties, and the feed's latest data.
package struct CatalogEntry: Hashable, Codable, Sendable {
  /// Whether the feed still shows an entry, and whether the entry is still listed.
  package enum Presence: String, Hashable, Codable, Sendable, FieldWord {
    /// The entry was on the page when the page was last read.
    case current
    /// The entry fell off the end of the page, because a feed shows only its newest entries. It
    /// stays listed.
    case past
    /// The feed has dropped the entry. The entry stays listed as long as it is open, pinned or
    /// completely cached.
    case kept
    /// The entry is no longer listed. Its number, name and inode stay reserved, in case the entry
    /// comes back.
    case removed
  }

  /// The number, from 1. Entries are numbered in the order in which they were first seen.
  package internal(set) var number = 0
  /// The file's name, for example "0001.mp4".
  package internal(set) var name = ""
  /// The id under which the feed first showed the entry, with a suffix if another entry has that
  /// id. The cache stores the entry's bytes under this key.
  package internal(set) var key = ""
  /// The feed's present id for the entry, if that is not `key`.
  package internal(set) var alias: String?
  /// The inode of the current version. Each new version gets a new inode.
  package internal(set) var inode: UInt64 = 0
  package internal(set) var presence = Presence.current
  /// Seconds since 1970.
  package internal(set) var firstSeen = 0

  package internal(set) var title = ""
  /// Seconds since 1970; nil if the feed gives no date, or an implausible one.
  package internal(set) var published: Int?
  /// The publisher's zone in seconds east of Greenwich; nil for Greenwich, and without a date.
  package internal(set) var zone: Int?
  /// The best media to play, with the newest address that the feed gave.
  package internal(set) var media = Media(url: "")
  /// The other candidates, best first.
  package internal(set) var alternates: [Media] = []
  package internal(set) var subtitles: [Subtitle] = []
  /// The address of the entry's web page; nil if it has none.
  package internal(set) var link: String?
  package internal(set) var thumbnail: String?
  package internal(set) var season: Int?
  package internal(set) var episode: Int?
  /// The show notes as the feed writes them; nil if there are none, or no room for them.
  package internal(set) var notes: String?
  /// The address of a document with the film's chapters; nil for a file of sound, because feedfs
  /// does not show chapters there.
  package internal(set) var chapters: String?
  /// The chapters that the feed itself lists; nil if it lists none.
  package internal(set) var chapterMarks: [Chapter]?
  /// The name of the entry's link in `by-title`, once it has one.
  package internal(set) var linkName: String?

  /// The address of the candidate in use, without query and fragment; nil if `media` is in use.
  package internal(set) var choice: String?

  /// The mark of the web page's format that is played. Nil if the entry's media is no web page, or
  /// if nothing is proved about its bytes.
  package internal(set) var pageFormat: String?

  /// Whether the entry is pinned; nil means no. Snapshots from before there were pins have no
  /// value.
  var pinned: Bool?

  /// How far the user is with the entry; nil if it is new.
  package internal(set) var mark: EntryMark?

  /// Facts from the entry's web page or its origin; nil if there are none.
  package internal(set) var learned: LearnedFacts?

  /// The facts that an origin has proved about the bytes; nil if there are none.
  package internal(set) var known: KnownBody?
  /// Facts about the previous version. The cache can still have bytes of that version.
  package internal(set) var outdated: KnownBody?
  /// Facts about the versions before `outdated`, the latest first.
  var older: [KnownBody]?

  /// Creates an empty entry, into which a reader puts the fields.
  private init() {}

  package static var blank: CatalogEntry { CatalogEntry() }

  /// - Parameters:
  ///   - key: an id that no other entry of the catalog has as its key.
  ///   - now: seconds since 1970.
  init(
    number: Int, inode: UInt64, key: String, entry: Entry, media: Media, fileExtension: String,
    now: Int
  ) {
    self.number = number
    self.name = FileName.name(number: number, fileExtension: fileExtension)
    self.key = key
    self.inode = inode
    self.firstSeen = now
    self.title = entry.title
    self.published = Self.credible(entry.published, now: now)
    self.zone = self.published == nil ? nil : entry.zone
    self.media = media
    self.alternates = entry.alternates
    self.subtitles = entry.subtitles
    self.link = entry.link
    self.thumbnail = entry.thumbnail
    self.season = entry.season
    self.episode = entry.episode
    self.notes = entry.notes
    takeChapters(of: entry, media)
  }

  /// Copies the chapters, unless the entry is a plain file of sound. feedfs shows no chapters for
  /// such a file, so they would only take memory.
  private mutating func takeChapters(of entry: Entry, _ media: Media) {
    let isFilm = media.isStream || MediaType.classOf(type: media.type, url: media.url) != .audio
    chapters = isFilm ? entry.chapters : nil
    let marks = isFilm ? entry.chapterMarks.prefix(Self.maxChapters) : []
    chapterMarks = marks.isEmpty ? nil : Array(marks)
  }

  /// The limit for the chapters of one entry.
  private static let maxChapters = 1000

  /// The file's name if files are named by number.
  var numberedName: String {
    FileName.name(number: number, fileExtension: FileName.fileExtension(of: name))
  }

  /// Whether the whole entry is fetched, and never evicted.
  package internal(set) var isPinned: Bool {
    get { pinned ?? false }
    set { pinned = newValue ? true : nil }
  }

  /// The name of the entry's link in `by-title`.
  package var titleName: String { linkName ?? name }

  /// The feed's present id for the entry.
  var id: String { alias ?? key }

  /// The media to fetch. This is the chosen candidate if the feed still offers it, and otherwise
  /// `media`.
  package var source: Media {
    guard let choice else { return media }
    return ([media] + alternates).first { Self.place(of: $0) == choice } ?? media
  }

  /// `source` and all candidates that can replace it, best first. A stream can replace only another
  /// stream.
  package var sources: [Media] {
    guard choice != nil, source.isStream != media.isStream else {
      return Media.forms(media, alternates)
    }
    return Media.forms(source, ([media] + alternates).filter { $0 != source })
  }

  /// Records that the media at `url` is played.
  mutating func choose(_ url: String) {
    let place = Self.place(of: Media(url: url))
    choice = place == Self.place(of: media) ? nil : place
  }

  /// Keeps `played` in use as the choice, if the feed now offers better media, but an answer to a
  /// reader has already proved facts about `played`.
  private mutating func stay(with played: Media, among offers: [Media]) {
    guard let known, !known.isMeasured, choice == nil else { return }
    let place = Self.place(of: played)
    guard let best = offers.first, Self.place(of: best) != place,
      offers.contains(where: { Self.place(of: $0) == place })
    else { return }
    choice = place
  }

  private static func place(of media: Media) -> String {
    String(media.url.prefix { $0 != "?" && $0 != "#" })
  }

  /// The known versions that the origin no longer serves, the latest first.
  package var replaced: [KnownBody] { [outdated].compactMap(\.self) + (older ?? []) }

  /// Stores the facts that an answer has proved about the current version.
  mutating func know(_ body: KnownBody) {
    known = body
    // If the origin serves an old version again, that version is no longer a replaced one.
    guard replaced.contains(where: body.isSameVersion(as:)) else { return }
    setReplaced(replaced.filter { !body.isSameVersion(as: $0) })
  }

  /// Records that the origin has a new version, about which nothing is known yet.
  mutating func markStale(showing body: KnownBody?) {
    guard let known = known ?? body else { return }
    setReplaced([known] + replaced.filter { !known.isSameVersion(as: $0) })
    self.known = nil
    pageFormat = nil
  }

  private mutating func setReplaced(_ versions: [KnownBody]) {
    outdated = versions.first
    older = versions.count > 1 ? Array(versions.dropFirst().prefix(Self.maxOlder)) : nil
  }

  /// The limit for `older`. Without this limit, an origin that serves ever new versions would make
  /// the catalog grow.
  private static let maxOlder = 7

  /// Whether the entry was removed from the listing.
  package var isRemoved: Bool { presence == .removed }

  /// The date of publication, or else the time when the entry was first seen, in seconds since
  /// 1970.
  package var modified: Int { published ?? firstSeen }

  /// The day of `modified` in the publisher's zone, as "2026-05-01".
  package var day: String { FeedDate.day(modified, zone: zone) }

  /// The length in bytes that the feed claims, if it is credible. It is only a hint.
  package var claimedLength: Int? { media.credibleLength }

  /// Copies the feed's latest data. If the data has no media that can be played, the entry keeps
  /// its old media.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: whether a field has changed.
  mutating func update(from entry: Entry, now: Int) -> Bool {
    let before = self
    title = entry.title
    published = Self.credible(entry.published, now: now)
    zone = published == nil ? nil : entry.zone
    link = entry.link
    thumbnail = entry.thumbnail
    season = entry.season
    episode = entry.episode
    // A long page can have no room for the notes of its last entries. Then the old notes stay.
    notes = entry.notes ?? notes
    subtitles = entry.subtitles
    if let newest = entry.media {
      stay(with: media, among: [newest] + entry.alternates)
      media = newest
      alternates = entry.alternates
      // The measured length is forgotten, because another address can have another length.
      if known?.isMeasured ?? false, Self.place(of: source) != Self.place(of: before.source) {
        known = nil
      }
      // When a live stream ends, it often becomes a film at another address. So the entry is no
      // longer taken as live.
      if Self.place(of: source) != Self.place(of: before.source) { learned?.liveAt = nil }
    }
    takeChapters(of: entry, media)
    return self != before
  }

  /// Returns the date; nil if it is more than a day in the future. Such a date is a mistake, or a
  /// trick to stay on top of the list. One day is allowed because of time zones.
  private static func credible(_ published: Int?, now: Int) -> Int? {
    isCredible(published, now: now) ? published : nil
  }

  /// Whether a date is at most a day in the future. A missing date is credible too.
  static func isCredible(_ published: Int?, now: Int) -> Bool {
    published.map { $0 <= now + 86_400 } ?? true
  }
}
