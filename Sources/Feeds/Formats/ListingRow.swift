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
    let all = media.prefix(XMLLimit.entries).lazy.map { row in
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
    if media.count > XMLLimit.entries { diagnoseCut() }
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

/// What stands beside a name in a directory listing of a server.
struct ListingColumns: Hashable {
  /// As `FeedDate` reads it.
  private(set) var modified: String?
  /// Bytes; a size with a unit is rounded, and none.
  private(set) var size: Int?

  private static let units: Set<String> = [
    "k", "m", "g", "t", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib",
  ]

  /// "01-May-2026 10:00   12345" or "2026-05-01 10:00  12K".
  init(_ text: String) {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    guard let place = words.firstIndex(where: Self.isDay) else { return }
    let time = words.dropFirst(place + 1).first.flatMap { $0.contains(":") ? $0 : nil }
    let parts = words[place].split(separator: "-")
    // "01-May-2026": as RFC 822 has it, with spaces.
    let isNamed = parts.count == 3 && parts[0].count < 4 && parts[1].allSatisfy(\.isLetter)
    let day = isNamed ? parts.joined(separator: " ") : words[place]
    modified = [day, time].compactMap(\.self).joined(separator: " ")
    let rest = words.dropFirst(place + (time == nil ? 1 : 2))
    let isRounded = rest.dropFirst().first.map { Self.units.contains($0.lowercased()) } ?? false
    size = isRounded ? nil : rest.first.flatMap { Int($0) }
  }

  private static func isDay(_ word: String) -> Bool {
    word.contains("-") && word.contains(where: \.isNumber) && word.count >= 8
  }
}
