/// One file in a directory listing.
struct ListingRow: Hashable {
  /// As it is, not as it is written in an address.
  var name: String
  /// Absolute.
  var url: String
  /// As written.
  var modified: String?
  /// Bytes, where the listing gives them exactly.
  var size: Int?

  /// The name without the folders before it and the extension behind it.
  static func title(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }
}

extension Feed {
  /// A directory as a feed: its media are the entries; what lies beside one of them under the same name
  /// is its subtitles.
  init(listing rows: [ListingRow], title: String, choice: MediaChoice) {
    self.init(kind: .index)
    self.title = title
    let subtitles = rows.filter { Self.isSubtitle($0.name) }
    let byTitle = Dictionary(grouping: subtitles) { Self.subject(of: $0.name) }
    let media = rows.filter { MediaType.classOf(type: nil, url: $0.url) != .other }
    let drafts = media.prefix(FeedOutline.mostEntries).map { row in
      var draft = EntryDraft()
      draft.title = ListingRow.title(of: row.name)
      draft.dates = row.modified.map { [$0] } ?? []
      draft.offer(row.url, base: "", source: .enclosure) { $0.media.length = row.size }
      draft.subtitles = (byTitle[draft.title] ?? []).map { subtitle in
        Subtitle(url: subtitle.url, type: nil, lang: Self.language(of: subtitle.name))
      }
      return draft
    }
    setEntries(Array(drafts), choice: choice, prefersIdentifier: false)
    if media.count > FeedOutline.mostEntries { diagnoseCut() }
  }

  private static func isSubtitle(_ name: String) -> Bool {
    ["vtt", "srt", "ass", "ssa"].contains { name.lowercased().hasSuffix(".\($0)") }
  }

  /// The title of what "talk.en.vtt" belongs to: "talk".
  private static func subject(of name: String) -> String {
    let title = ListingRow.title(of: name)
    return language(of: name) == nil ? title : ListingRow.title(of: title)
  }

  /// "en", "pt-BR": what stands between the last two full stops and looks like a language.
  private static func language(of name: String) -> String? {
    let parts = ListingRow.title(of: name).split(separator: ".")
    guard parts.count > 1, let tag = parts.last else { return nil }
    let primary = tag.prefix { $0 != "-" && $0 != "_" }
    let isTag = (2...3).contains(primary.count) && primary.allSatisfy { $0.isASCII && $0.isLetter }
    return isTag ? String(tag) : nil
  }
}
