import Addresses
import Markup

/// One file in a directory listing.
struct ListingRow: Hashable {
  /// The name itself, not percent-encoded.
  var name: String
  /// The absolute address, or a relative one if the base is unknown.
  var url: String
  /// The date of the last change, as written.
  var modified: String?
  /// The size in bytes; nil if the listing does not give the exact size.
  var size: Int?
  /// The smallest size in bytes that the listing's rounded size can stand for; nil if there is
  /// none.
  var roundedSize: Int?

  /// Makes the row of a file called `name` in the folder that `base` lists.
  init(name: String, base: String, modified: String?, size: Int?) {
    let reference = "./" + PercentEncoding.encodedSegment(name)
    self.init(
      name: name, url: WebAddress.usable(reference, base: base) ?? reference, modified: modified,
      size: size)
  }

  init(name: String, url: String, modified: String?, size: Int?) {
    self.name = name
    self.url = url
    self.modified = modified
    self.size = size
  }

  /// Returns the name of the file at `path`, without its folders and its extension.
  static func title(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }
}

extension Feed {
  /// Makes a feed of the media files in a directory. A subtitle file belongs to the media file of
  /// the same name. Diagnostics name the other files, and the folders.
  ///
  /// - Parameter folders: the names of the folders in the directory.
  init(listing rows: [ListingRow], folders: [String], title: String, choice: MediaChoice) {
    self.init(kind: .index)
    self.title = title
    let media = rows.filter { MediaType.classOf(type: nil, url: $0.url).isMedia }
    let captions = Self.captions(rows)
    let all = media.prefix(XMLLimit.entries).lazy.map { row in
      let name = ListingRow.title(of: row.name)
      var draft = EntryDraft()
      draft.title = PlainText.collapsed(name)
      draft.dates = row.modified.map { [$0] } ?? []
      draft.offer(row.url, base: "", source: .enclosure) {
        $0.media.length = row.size
        $0.media.roundedLength = row.size == nil ? row.roundedSize : nil
      }
      draft.subtitles = captions[name] ?? []
      return draft
    }
    var entries = UnnamedEntries(all, choice: choice)
    setEntries(&entries, prefersIdentifier: false)
    if media.count > XMLLimit.entries { diagnoseCut() }
    tell(rows.filter { !MediaType.classOf(type: nil, url: $0.url).isMedia }, folders)
  }

  /// Adds diagnostics about the files and folders of a directory that are left out.
  private mutating func tell(_ files: [ListingRow], _ folders: [String]) {
    let others = files.filter { !Self.isSubtitle($0.name) }.map(\.name)
    if !others.isEmpty {
      diagnostics.append("files that are neither video nor audio: \(Self.some(others))")
    }
    if !folders.isEmpty {
      diagnostics.append(
        "folders, which are not read; each has an address of its own: \(Self.some(folders))")
    }
  }

  private static func some(_ names: [String]) -> String {
    let shown = names.prefix(5).map { PlainText.printable($0) }.joined(separator: ", ")
    return names.count > 5 ? "\(shown) and \(names.count - 5) more" : shown
  }

  /// Returns all subtitles, by the name (without extension) of the media that they belong to. For
  /// example, "talk.en.vtt" and "talk.vtt" belong to "talk".
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

  /// Returns the text behind the last full stop if it looks like the tag of a language: "en",
  /// "pt-BR".
  private static func language(of name: String) -> String? {
    let parts = name.split(separator: ".")
    guard parts.count > 1, let tag = parts.last else { return nil }
    let primary = tag.prefix { $0 != "-" && $0 != "_" }
    let isTag = (2...3).contains(primary.count) && primary.allSatisfy { $0.isASCII && $0.isLetter }
    return isTag ? String(tag) : nil
  }
}

/// The columns beside a name in a server's directory listing.
struct ListingColumns: Hashable {
  /// The date of the last change, in a form that `FeedDate` reads.
  private(set) var modified: String?
  /// The size in bytes; nil if it has a unit, because it is then rounded.
  private(set) var size: Int?
  /// The smallest size in bytes that the rounded size can stand for; nil if there is no rounded
  /// size.
  private(set) var roundedSize: Int?

  /// Parses "01-May-2026 10:00   12345", "2026-05-01 10:00  12K" or "1.2 MiB 2026-05-01T10:00:00Z".
  init(_ text: String) {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    guard let place = words.firstIndex(where: Self.isDay) else { return }
    let time = words.dropFirst(place + 1).first.flatMap { $0.contains(":") ? $0 : nil }
    let parts = words[place].split(separator: "-")
    // Turns "01-May-2026" into the form of RFC 822, with spaces.
    let isNamed = parts.count == 3 && parts[0].count < 4 && parts[1].allSatisfy(\.isLetter)
    let day = isNamed ? parts.joined(separator: " ") : words[place]
    modified = [day, time].compactMap(\.self).joined(separator: " ")
    let written = WrittenSize(words.dropFirst(place + (time == nil ? 1 : 2)))
    if let written, written.isExact { size = written.range.lowerBound }
    // Other numbers can come before the day, so only a number with a unit is taken as the size
    // there.
    let known = written ?? (place <= 2 ? WrittenSize(words[..<place]) : nil)
    if let known, !known.isExact { roundedSize = known.range.lowerBound }
  }

  private static func isDay(_ word: String) -> Bool {
    word.contains("-") && word.contains(where: \.isNumber) && word.count >= 8
  }
}
