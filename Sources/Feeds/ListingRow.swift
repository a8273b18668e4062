/// One file in a directory listing.
struct ListingRow: Hashable {
  /// As it is, not as it is written in an address.
  var name: String
  /// Absolute, or relative to what is not known.
  var url: String
  /// As written.
  var modified: String?
  /// Bytes, where the listing gives them exactly.
  var size: Int?

  /// A file called `name` in the folder that `base` lists.
  init(name: String, base: String, modified: String?, size: Int?) {
    let reference = "./" + URLReference.encodedSegment(name)
    self.init(
      name: name, url: URLReference.resolve(reference, against: base), modified: modified,
      size: size)
  }

  init(name: String, url: String, modified: String?, size: Int?) {
    self.name = name
    self.url = url
    self.modified = modified
    self.size = size
  }

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
    let media = rows.filter { MediaType.classOf(type: nil, url: $0.url) != .other }
    let captions = Self.captions(rows)
    let all = media.prefix(FeedOutline.mostEntries).lazy.map { row in
      let name = ListingRow.title(of: row.name)
      var draft = EntryDraft()
      draft.title = PlainText.collapsed(name)
      draft.dates = row.modified.map { [$0] } ?? []
      draft.offer(row.url, base: "", source: .enclosure) { $0.media.length = row.size }
      draft.subtitles = captions[name] ?? []
      return draft
    }
    var drafts = PackedArray(all)
    setEntries(&drafts, choice: choice, prefersIdentifier: false)
    if media.count > FeedOutline.mostEntries { diagnoseCut() }
  }

  /// By the name of what they belong to: "talk.en.vtt" and "talk.vtt" are of "talk".
  private static func captions(_ rows: [ListingRow]) -> [String: [Subtitle]] {
    var captions: [String: [Subtitle]] = [:]
    for row in rows where isSubtitle(row.name) {
      guard let url = WebAddress.usable(row.url, base: "") else { continue }
      let name = ListingRow.title(of: row.name)
      captions[name, default: []].append(Subtitle(url: url, type: nil, lang: nil))
      if let language = language(of: name) {
        captions[ListingRow.title(of: name), default: []]
          .append(Subtitle(url: url, type: nil, lang: language))
      }
    }
    return captions
  }

  private static func isSubtitle(_ name: String) -> Bool {
    ["vtt", "srt", "ass", "ssa"].contains { name.lowercased().hasSuffix(".\($0)") }
  }

  /// "en", "pt-BR": what stands behind the last full stop and looks like a language.
  private static func language(of name: String) -> String? {
    let parts = name.split(separator: ".")
    guard parts.count > 1, let tag = parts.last else { return nil }
    let primary = tag.prefix { $0 != "-" && $0 != "_" }
    let isTag = (2...3).contains(primary.count) && primary.allSatisfy { $0.isASCII && $0.isLetter }
    return isTag ? String(tag) : nil
  }
}
