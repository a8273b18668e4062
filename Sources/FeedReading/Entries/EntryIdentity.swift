import Addresses

/// Gives each entry of a feed its permanent id.
package struct EntryIdentity {
  private let prefersIdentifier: Bool
  /// The number of items with each link. It uses marks instead of links, because there may be many.
  private var linkCounts: [Int: Int32] = [:]

  init(_ drafts: PackedArray<EntryDraft>, prefersIdentifier: Bool) {
    self.prefersIdentifier = prefersIdentifier
    for draft in drafts {
      if let link = draft.link { linkCounts[Self.mark(of: link), default: 0] += 1 }
    }
  }

  /// Returns the id of a draft whose best address is `url`, before other entries are compared.
  func id(of draft: EntryDraft, url: String?) -> (id: String, source: Entry.IDSource) {
    if prefersIdentifier, let identifier = draft.identifier { return (identifier, .identifier) }
    if let guid = draft.guid { return (guid, .guid) }
    if let link = draft.link, linkCounts[Self.mark(of: link)] == 1 { return (link, .link) }
    if let url { return (WebAddress.identity(of: url), .url) }
    let date = draft.dates.first ?? draft.changes.first ?? ""
    return (Self.hash(draft.shownTitle + "\n" + date), .hash)
  }

  /// Tells entries with the same id apart by their media.
  ///
  /// All of them get an id that names their address, so no id depends on the order. If several have
  /// the same media, the first one is listed and the others are skipped.
  static func resolveDuplicates(_ entries: inout PackedArray<Entry>) {
    var counts: [Int: Int32] = [:]
    let marks = entries.map { mark(of: $0.id) }
    for mark in marks { counts[mark, default: 0] += 1 }
    let shared = marks.indices.filter { counts[marks[$0]] != 1 }
    let byID = Dictionary(grouping: shared) { entries[$0].id }
    for indices in byID.values where indices.count > 1 {
      let urls = indices.map { entries[$0].bestURL.map(WebAddress.identity) ?? "" }
      let isShared = Set(urls).count == 1
      var seen: Set<String> = []
      for (index, url) in zip(indices, urls) {
        if !isShared, !url.isEmpty { entries[index].id += "#" + hash(url) }
        if !seen.insert(url).inserted { entries[index].skip("a duplicate of an earlier entry") }
      }
    }
  }

  /// Returns a short mark for one of very many texts. It is valid in this process only. Different
  /// texts hardly ever share a mark. No feed can make them share one, because the mark depends on a
  /// secret.
  @inlinable package static func mark(of text: String) -> Int { text.hashValue }

  /// Returns the fingerprint as sixteen hexadecimal digits.
  private static func hash(_ text: String) -> String {
    let digits = String(text.fingerprint, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension Entry {
  /// The address of the media to play. Without such media it is that of the best alternate.
  fileprivate var bestURL: String? { media?.url ?? alternates.first?.url }

  /// Marks the entry as no file. An earlier reason stays.
  mutating func skip(_ reason: String) {
    skipped = skipped ?? reason
    if let media {
      alternates.insert(media, at: 0)
      self.media = nil
    }
  }
}

extension Feed {
  /// Turns the drafts of all items into entries.
  ///
  /// - Parameter drafts: consumed, because there may be too many to have them in memory twice.
  mutating func setEntries(
    _ drafts: inout PackedArray<EntryDraft>, choice: MediaChoice, prefersIdentifier: Bool
  ) {
    let identity = EntryIdentity(drafts, prefersIdentifier: prefersIdentifier)
    var refused = 0
    entries = drafts.converted { draft in
      if draft.refusal != nil { refused += 1 }
      let ranking = MediaRanking(draft.candidates, choice: choice)
      let best = ranking.chosen ?? ranking.others.first
      let (id, source) = identity.id(of: draft, url: best?.media.url)
      var entry = Entry(id: id, idSource: source)
      entry.take(draft, ranking, choice)
      return entry
    }
    EntryIdentity.resolveDuplicates(&entries)
    if refused > 0 {
      diagnostics.append("entries with an address that is not used: \(refused)")
    }
  }
}

extension Entry {
  /// Drops an impossible duration, because some feeds write values that are no seconds.
  private static func credible(_ duration: Double?) -> Double? {
    duration.flatMap { (0...1e9).contains($0) ? $0 : nil }
  }

  fileprivate mutating func take(
    _ draft: EntryDraft, _ ranking: MediaRanking, _ choice: MediaChoice
  ) {
    title = draft.shownTitle
    published = draft.published
    link = draft.link
    duration = Self.credible(draft.duration) ?? Self.credible(ranking.chosen?.media.duration)
    thumbnail = draft.thumbnail ?? ranking.others.first { $0.unplayable == .image }?.media.url
    subtitles = draft.subtitles
    chapters = draft.chapters
    chapterMarks = draft.chapterMarks
    season = draft.season
    episode = draft.episode
    alternates = ranking.others.map(\.media)
    media = ranking.chosen?.media
    media?.duration = Self.credible(ranking.chosen?.media.duration) ?? duration
    guard let reason = ranking.reason else { return }
    let isPage = ranking.isOnlyPage || draft.candidates.isEmpty && draft.hasPlayer
    if choice.pages, isPage, let page = draft.link ?? ranking.others.first?.media.url {
      media = .page(page)
      media?.duration = duration
      return
    }
    if draft.candidates.isEmpty, draft.hasPlayer {
      skipped = "only a web page to watch it on, which needs a resolver"
    } else if draft.candidates.isEmpty, let refusal = draft.refusal {
      skipped = "its address \(refusal)"
    } else {
      skipped = reason
    }
  }
}
