import FeedReading
import Markup

/// A small file beside an entry's file. Players and media servers find it by its name.
package struct Sidecar: Hashable, Sendable {
  /// The kinds of sidecars. `--sidecars` uses the same names.
  package enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    case subtitles, covers, nfo, notes
  }

  package let kind: Kind
  /// The name, such as "0001.en.vtt". It begins like the name of the entry's file.
  package let name: String
  /// The address from which the sidecar is fetched; nil for a sidecar that feedfs makes itself.
  package let url: String?

  /// Returns each sidecar with its place, which is less than `FeedNode.maxSidecars` - 1. The place
  /// identifies the sidecar. The result is sorted by place, because a directory listing continues
  /// behind the last place that it returned. NFO file, cover and notes have fixed places, which do
  /// not depend on the number of subtitles. Subtitles have the places between cover and notes, in
  /// their order. Subtitles for which no place is left are left out.
  package static func placed(_ all: [Sidecar]) -> [(place: Int, sidecar: Sidecar)] {
    let single = [Kind.nfo, .covers]
    let fixed = single.enumerated().compactMap { place, kind in
      all.first { $0.kind == kind }.map { (place, $0) }
    }
    let last = FeedNode.maxSidecars - 2
    let notes = all.first { $0.kind == .notes }.map { [(last, $0)] } ?? []
    let rest = all.filter { $0.kind == .subtitles }.prefix(last - single.count)
    return fixed + rest.enumerated().map { (single.count + $0.offset, $0.element) } + notes
  }

  /// Returns the sidecars of an entry: subtitles in the order of the feed, then cover, NFO file and
  /// notes.
  package static func all(of entry: CatalogEntry, kinds: Set<Kind>) -> [Sidecar] {
    var all: [Sidecar] = []
    let stem = FileName.stem(of: entry.name)
    if kinds.contains(.subtitles) { all += subtitles(of: entry, stem: stem) }
    if kinds.contains(.covers), let url = entry.shownThumbnail {
      let ending = MediaType.pathExtension(of: url)
      let known = ["jpg", "jpeg", "png", "webp", "gif", "avif"].contains(ending)
      all.append(Sidecar(kind: .covers, name: "\(stem).\(known ? ending : "jpg")", url: url))
    }
    if kinds.contains(.nfo) {
      all.append(Sidecar(kind: .nfo, name: "\(stem).nfo", url: nil))
    }
    if kinds.contains(.notes), entry.notes != nil {
      all.append(Sidecar(kind: .notes, name: "\(stem).txt", url: nil))
    }
    return all
  }

  /// Returns the name of the sidecar's link in `by-title`. It begins like the name of the film's
  /// link, because players look for sidecars with such names.
  package func titleName(of entry: CatalogEntry) -> String {
    let rest = name.dropFirst(FileName.stem(of: entry.name).count)
    return TitleNames.stem(of: entry.titleName) + rest
  }

  /// Returns the bytes of a sidecar that feedfs makes itself; nil for a sidecar that is fetched.
  package func content(of entry: CatalogEntry) -> [UInt8]? {
    switch kind {
    case .nfo: EpisodeDetails.nfo(of: entry)
    case .notes: entry.notes.map { Array((ShowNotes.text(of: $0) + "\n").utf8) }
    case .subtitles, .covers: nil
    }
  }

  /// Returns the feed's picture as sidecars of the feed's folder: one for each name that Kodi and
  /// Jellyfin look for.
  package static func covers(of catalog: Catalog) -> [Sidecar] {
    guard let url = catalog.cover else { return [] }
    return ["folder.jpg", "poster.jpg"].map { Sidecar(kind: .covers, name: $0, url: url) }
  }

  // MARK: Subtitles

  /// Returns the subtitles as sidecars with names such as "0001.en.vtt", "0001.pt.srt" and
  /// "0001.pt-2.srt", or "0001.vtt" if the language is not known.
  private static func subtitles(of entry: CatalogEntry, stem: String) -> [Sidecar] {
    var counts: [String: Int] = [:]
    return entry.shownSubtitles.compactMap { subtitle in
      guard let ending = fileExtension(of: subtitle) else { return nil }
      let language = language(subtitle.lang)
      let place = "\(language ?? "").\(ending)"
      let count = counts[place, default: 0] + 1
      counts[place] = count
      // Players recognise a language by two or three letters. A number distinguishes further files
      // in the same language.
      let tag = count == 1 ? language : "\(language ?? "und")-\(count)"
      let name = [stem, tag, ending].compactMap(\.self).joined(separator: ".")
      return Sidecar(kind: .subtitles, name: name, url: subtitle.url)
    }
  }

  /// Returns the primary subtag of a BCP 47 tag, such as "pt" of "pt-BR". Players look for this
  /// subtag.
  private static func language(_ tag: String?) -> String? {
    let primary = (tag ?? "").prefix { $0 != "-" && $0 != "_" }.lowercased()
    guard (2...3).contains(primary.utf8.count), primary != "und",
      primary.utf8.allSatisfy({ (0x61...0x7a).contains($0) })
    else { return nil }
    return primary
  }

  private static let extensions: Set<String> = ["vtt", "srt", "ass", "ssa", "sub", "ttml"]
  private static let types: [String: String] = [
    "text/vtt": "vtt", "text/webvtt": "vtt", "application/x-subrip": "srt", "text/srt": "srt",
    "application/srt": "srt", "text/x-ssa": "ssa", "text/x-ass": "ass",
    "application/ttml+xml": "ttml",
  ]

  /// Returns the extension for a subtitle's file; nil for a transcript that no player shows, such
  /// as HTML or JSON.
  private static func fileExtension(of subtitle: Subtitle) -> String? {
    if let type = MediaType.normalized(subtitle.type) {
      if let known = types[type] { return known }
      guard ["text/plain", "application/octet-stream"].contains(type) else { return nil }
    }
    let ending = MediaType.pathExtension(of: subtitle.url)
    return extensions.contains(ending) ? ending : nil
  }
}

/// The `<episodedetails>` file that Kodi and Jellyfin read beside a film.
private enum EpisodeDetails {
  static func nfo(of entry: CatalogEntry) -> [UInt8] {
    var fields: [(String, String?)] = [("title", entry.shownTitle)]
    fields.append(("aired", entry.day))
    fields.append(("season", entry.season.map(String.init)))
    fields.append(("episode", entry.episode.map(String.init)))
    let minutes = entry.duration.flatMap { Int(exactly: max(1, ($0 / 60).rounded())) }
    fields.append(("runtime", minutes.map(String.init)))
    fields.append(("plot", entry.notes.map(ShowNotes.text)))
    let lines = fields.compactMap { name, value in
      value.map { "  <\(name)>\(escaped($0))</\(name)>\n" }
    }
    let text = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <episodedetails>
      \(lines.joined())</episodedetails>

      """
    return Array(text.utf8)
  }

  private static func escaped(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { PrintableText.line(String($0)) }.joined(separator: "\n").reduce(
      into: ""
    ) { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
  }
}
