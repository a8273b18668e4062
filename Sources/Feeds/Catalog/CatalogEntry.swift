/// An entry that has a number: what never changes about it, and what the feed last said.
package struct CatalogEntry: Hashable, Codable, Sendable {
  /// Where an entry stands with its feed.
  package enum Presence: String, Hashable, Codable, Sendable {
    /// It was on the page when that was last read.
    case current
    /// It fell off the page's end, since a feed is a window; it stays in the listing.
    case past
    /// The feed has dropped it, but somebody needs it: it stays in the listing for the time being.
    case kept
    /// It left the listing. Number, name and inode are kept for its return.
    case removed
  }

  /// From 1, in the order of first sight.
  package let number: Int
  /// The file's name, for example "0001.mp4".
  package let name: String
  /// The id under which the feed first showed it: with this its bytes are kept in the cache.
  package let key: String
  /// What the feed calls it since, where that is not `key`.
  package internal(set) var alias: String?
  /// Stands for the present version of the bytes: a new version has a new one.
  package internal(set) var inode: UInt64
  package internal(set) var presence = Presence.current
  /// Seconds since 1970.
  package let firstSeen: Int

  package internal(set) var title: String
  /// Seconds since 1970; nil where the feed gives no date, or one that cannot be true.
  package internal(set) var published: Int?
  /// What to play, with the newest address that the feed gave.
  package internal(set) var media: Media
  /// The other candidates, best first.
  package internal(set) var alternates: [Media]
  package internal(set) var subtitles: [Subtitle]
  /// The page that the entry is about.
  package internal(set) var link: String?
  package internal(set) var thumbnail: String?
  package internal(set) var season: Int?
  package internal(set) var episode: Int?
  /// The name of its link in `by-title`, once it was given.
  package internal(set) var linkName: String?

  /// What was played last, without its query, where that was not `media`.
  package internal(set) var choice: String?

  /// Nil: no, as in snapshots of a feedfs that knew no pins.
  var pinned: Bool?

  /// What the origin has proved about the bytes.
  package internal(set) var known: KnownBody?
  /// What was known of the version before this one, of which the cache may still have bytes.
  package internal(set) var outdated: KnownBody?
  /// And of those before that, the latest first.
  var older: [KnownBody]?

  /// - Parameters:
  ///   - key: an id that no other entry of the catalog has for its key.
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
    self.media = media
    self.alternates = entry.alternates
    self.subtitles = entry.subtitles
    self.link = entry.link
    self.thumbnail = entry.thumbnail
    self.season = entry.season
    self.episode = entry.episode
  }

  /// Whether all of it is to be kept, whatever else has to go.
  package internal(set) var isPinned: Bool {
    get { pinned ?? false }
    set { pinned = newValue ? true : nil }
  }

  /// The name of its link in `by-title`.
  package var titleName: String { linkName ?? name }

  /// What the feed calls it now.
  var id: String { alias ?? key }

  /// What is asked for: what was played before, as long as the feed offers it, else the best.
  package var source: Media {
    guard let choice else { return media }
    return sources.first { Self.place(of: $0) == choice } ?? media
  }

  /// All that can be played, best first.
  package var sources: [Media] {
    [media] + alternates.filter { $0.canReplace(media) }
  }

  /// Takes note that what lies at `url` is played.
  mutating func choose(_ url: String) {
    let place = Self.place(of: Media(url: url))
    choice = place == Self.place(of: media) ? nil : place
  }

  /// What was proved is not given up because the feed has something better now.
  private mutating func stay(with played: Media, among offers: [Media]) {
    guard known != nil, choice == nil else { return }
    let place = Self.place(of: played)
    guard let best = offers.first, Self.place(of: best) != place,
      offers.contains(where: { Self.place(of: $0) == place })
    else { return }
    choice = place
  }

  private static func place(of media: Media) -> String {
    String(media.url.prefix { $0 != "?" && $0 != "#" })
  }

  /// The versions that the origin had and has no more, as far as is known, the latest first.
  package var replaced: [KnownBody] { [outdated].compactMap(\.self) + (older ?? []) }

  /// Takes note of what an answer has proved of the present version.
  mutating func know(_ body: KnownBody) {
    known = body
    // The origin has it again.
    guard replaced.contains(where: body.isSameVersion(as:)) else { return }
    setReplaced(replaced.filter { !body.isSameVersion(as: $0) })
  }

  /// Takes note that the origin has another version now, of which nothing is known.
  mutating func supersede(showing body: KnownBody?) {
    guard let known = known ?? body else { return }
    setReplaced([known] + replaced.filter { !known.isSameVersion(as: $0) })
    self.known = nil
  }

  private mutating func setReplaced(_ versions: [KnownBody]) {
    outdated = versions.first
    older = versions.count > 1 ? Array(versions.dropFirst().prefix(Self.mostOlder)) : nil
  }

  /// An origin that has another version each time must not make the catalog grow.
  private static let mostOlder = 7

  /// Whether the entry left the listing.
  package var isRemoved: Bool { presence == .removed }

  /// Seconds since 1970: the publication, else the first sight.
  package var modified: Int { published ?? firstSeen }

  /// Bytes, as the feed claims and as far as that can be believed; only ever a hint.
  package var claimedLength: Int? { media.credibleLength }

  /// Takes what the feed says now. An entry that can no longer be played keeps what it had.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: whether anything that can be seen has changed.
  mutating func update(from entry: Entry, now: Int) -> Bool {
    let before = self
    title = entry.title
    published = Self.credible(entry.published, now: now)
    link = entry.link
    thumbnail = entry.thumbnail
    season = entry.season
    episode = entry.episode
    subtitles = entry.subtitles
    if let newest = entry.media {
      stay(with: media, among: [newest] + entry.alternates)
      media = newest
      alternates = entry.alternates
    }
    return self != before
  }

  /// A date more than a day ahead is a mistake, or a trick to stay on top; a day is for time zones.
  private static func credible(_ published: Int?, now: Int) -> Int? {
    guard let published, published <= now + 86_400 else { return nil }
    return published
  }
}

extension Media {
  /// The claimed length, unless it is a placeholder: feeds write 0, 1 or 1024, or the duration.
  var credibleLength: Int? {
    guard let length, length >= 16 << 10 else { return nil }
    return duration == Double(length) ? nil : length
  }
}
