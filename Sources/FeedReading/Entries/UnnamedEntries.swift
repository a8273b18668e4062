import Addresses
import Markup

/// The entries of a feed while their ids are not known yet, because an id can depend on all items.
///
/// Each entry is packed in its final form, behind the texts from which its id can be made. So at
/// the end of the feed the packed entry is only copied.
struct UnnamedEntries {
  private let choice: MediaChoice
  private var packed: [[UInt8]] = []
  private var packer = Packer()
  /// How many items have each link. The key is the hash of the link, because there can be many
  /// links.
  private var linkCounts: [Int: Int32] = [:]
  /// The number of items with an address that was refused.
  private(set) var refused = 0
  /// Whether there are entries without a file.
  private(set) var lackFiles = false
  /// The size of all notes that are kept, in bytes.
  private var notesSize = 0

  init(choice: MediaChoice) {
    self.choice = choice
  }

  init(_ drafts: some Sequence<EntryDraft>, choice: MediaChoice) {
    self.init(choice: choice)
    for draft in drafts { append(draft) }
  }

  var count: Int { packed.count }

  /// Appends the entry of an item.
  mutating func append(_ draft: EntryDraft) {
    if draft.refusal != nil { refused += 1 }
    if let link = draft.link, !draft.isPart {
      linkCounts[EntryIdentity.hash(of: link), default: 0] += 1
    }
    var entry = entry(of: draft)
    let name = NamingOrder.first(draft.candidates, choice).map { draft.candidates[$0].media.url }
    let notes = notesSize < ShowNotes.room(of: 0) ? draft.notes.nonEmpty : nil
    notesSize += notes?.utf8.count ?? 0
    packer.put(notes)
    packer.put(entry.media?.isPage == true || name == entry.bestURL ? nil : name)
    packer.put(draft.guid)
    packer.put(draft.identifier)
    if draft.guid == nil {
      packer.put(draft.link)
      packer.put(name)
      packer.put(draft.shownTitle + "\n" + (draft.dates.first ?? draft.changes.first ?? ""))
    }
    entry.visitWithoutEnds(&packer)
    packed.append(packer.take())
  }

  private mutating func entry(of draft: EntryDraft) -> Entry {
    let ranking = MediaRanking(draft.candidates, choice: choice, duration: draft.duration)
    var entry = Entry(id: "", idSource: .hash)
    entry.take(draft, ranking, choice)
    guard ranking.chosen == nil else { return entry }
    lackFiles = true
    guard let full = draft.withTextMedia else { return entry }
    let other = MediaRanking(full.candidates, choice: choice, duration: draft.duration)
    // If only the text names media, the reason why the entry is no file is about that media.
    let isReason = entry.media == nil && draft.candidates.isEmpty && !draft.hasPlayer
    guard other.chosen != nil || isReason else { return entry }
    entry = Entry(id: "", idSource: .hash)
    entry.take(full, other, choice)
    return entry
  }

  /// Gives all entries their ids. Returns the entries and the hashes of their ids. `names` has, by
  /// the place of an entry, the address that identifies it, if this is not `bestURL`. Call this
  /// once: it empties this value, so that no entry is in memory twice.
  ///
  /// - Parameter prefersIdentifier: whether `dc:identifier` is preferred to the guid.
  mutating func named(
    prefersIdentifier: Bool
  ) -> (entries: PackedArray<Entry>, hashes: [Int], names: [Int: String]) {
    var bytes = packed
    packed = []
    var hashes: [Int] = []
    hashes.reserveCapacity(bytes.count)
    var names: [Int: String] = [:]
    var room = ShowNotes.room(of: bytes.count)
    for place in bytes.indices {
      var unpacker = Unpacker(bytes[place])
      let notes = room > 0 ? unpacker.optionalText() : nil
      if room <= 0 { unpacker.skipOptionalText() }
      room -= notes?.utf8.count ?? 0
      if let name = unpacker.optionalText() { names[place] = name }
      let (id, source) = identity(from: &unpacker, prefersIdentifier: prefersIdentifier)
      hashes.append(EntryIdentity.hash(of: id))
      var entry = Entry(id: id, idSource: source)
      entry.visitID(&packer)
      packer.put(restOf: unpacker)
      packer.put(notes)
      bytes[place] = packer.take()
    }
    return (PackedArray(packed: bytes), hashes, names)
  }

  /// Returns the id of an entry. Another entry can have the same id.
  private func identity(
    from unpacker: inout Unpacker, prefersIdentifier: Bool
  ) -> (id: String, source: Entry.IDSource) {
    let guid = unpacker.optionalText()
    let identifier = unpacker.optionalText()
    let link = guid == nil ? unpacker.optionalText() : nil
    let url = guid == nil ? unpacker.optionalText() : nil
    let words = guid == nil ? unpacker.text() : ""
    if prefersIdentifier, let identifier { return (identifier, .identifier) }
    if let guid { return (guid, .guid) }
    if let link, linkCounts[EntryIdentity.hash(of: link)] == 1 { return (link, .link) }
    if let url { return (WebAddress.identity(of: url), .url) }
    return (EntryIdentity.digits(of: words), .hash)
  }
}

extension Feed {
  /// Sets `entries` to the entries of all items.
  ///
  /// - Parameter items: left empty, because there can be too many items to have them in memory
  ///   twice.
  mutating func setEntries(_ items: inout UnnamedEntries, prefersIdentifier: Bool) {
    let named = items.named(prefersIdentifier: prefersIdentifier)
    entries = named.entries
    EntryIdentity.resolveDuplicates(&entries, hashes: named.hashes, names: named.names)
    if items.refused > 0 {
      diagnostics.append("entries whose address cannot be used: \(items.refused)")
    }
  }
}

extension Entry {
  /// Returns `duration`; nil if so many seconds are impossible, because some feeds write other
  /// units.
  private static func credible(_ duration: Double?) -> Double? {
    duration.flatMap { (0...1e9).contains($0) ? $0 : nil }
  }

  /// Returns the duration in seconds, also if the publisher writes milliseconds (Arc).
  ///
  /// Values below 10 000 are seconds. For greater values the length in bytes decides: no video has
  /// less than 16 kbit/s, or more than 1 Gbit/s. If the length is not known, 100 000 or more are
  /// milliseconds, because nothing lasts longer than a day. A duration in `clocks` was written with
  /// colons, and is believed whatever length the feed claims.
  private static func seconds(
    _ duration: Double?, of media: Media, _ clocks: Set<Double>
  ) -> Double? {
    guard let duration = credible(duration), duration >= 10_000, !clocks.contains(duration) else {
      return credible(duration)
    }
    guard let length = media.credibleLength else {
      return duration >= 100_000 ? duration / 1000 : duration
    }
    let rates = 16_000...1e9
    let rate = Double(length) * 8 / duration
    return !rates.contains(rate) && rates.contains(rate * 1000) ? duration / 1000 : duration
  }

  mutating func take(
    _ draft: EntryDraft, _ ranking: MediaRanking, _ choice: MediaChoice
  ) {
    title = draft.shownTitle.nonEmpty ?? TextTitle.of(draft.text)
    let moment = draft.published
    published = moment?.seconds
    zone = moment.flatMap { $0.zone == 0 ? nil : $0.zone }
    link = draft.link
    alternates = ranking.others.map(\.media)
    media = ranking.chosen?.media
    let known = media ?? alternates.first ?? Media(url: "")
    duration =
      Self.seconds(draft.duration, of: known, draft.clocks)
      ?? Self.seconds(media?.duration, of: known, draft.clocks)
    thumbnail = draft.thumbnail ?? ranking.others.first { $0.unplayable == .image }?.media.url
    subtitles = draft.subtitles
    chapters = draft.chapters
    chapterMarks = draft.chapterMarks
    season = draft.season
    episode = draft.episode
    for place in alternates.indices {
      alternates[place].duration = Self.seconds(
        alternates[place].duration, of: alternates[place], draft.clocks)
    }
    if let own = media {
      media?.duration = Self.seconds(own.duration, of: own, draft.clocks) ?? duration
    }
    if draft.isBroadcast, ranking.chosen != nil { return skip(.live) }
    guard let omission = ranking.omission else { return }
    if let page = draft.page(ranking, choice) {
      media = .page(page)
      media?.duration = duration
      return
    }
    if draft.candidates.isEmpty, draft.hasPlayer {
      skip(.player)
    } else if draft.candidates.isEmpty, let refusal = draft.refusal {
      skip(Omission("its address \(refusal)"))
    } else if omission == .noMedia, link != nil {
      skip(.onlyLink)
    } else {
      skip(omission)
    }
  }
}

extension EntryDraft {
  /// The web page on which the media of an entry without a file can be found; nil if there is none,
  /// or if the user does not want web pages.
  fileprivate func page(_ ranking: MediaRanking, _ choice: MediaChoice) -> String? {
    let page = link ?? ranking.others.first { $0.unplayable == .page }?.media.url
    if choice.pages { return page ?? (ranking.isOnlyPage ? ranking.others.first?.media.url : nil) }
    // Pages of Flash players do not count as announced, because they show nothing without their
    // scripts.
    let isAnnounced =
      candidates.isEmpty ? hasPlayer : ranking.others.first?.unplayable == .page
    return choice.announcedPages && isAnnounced ? page : nil
  }
}
