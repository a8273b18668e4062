/// What Kodi and Jellyfin read beside a film: `<episodedetails>`.
enum EpisodeDetails {
  static func nfo(of entry: CatalogEntry) -> [UInt8] {
    var fields: [(String, String?)] = [("title", entry.title)]
    fields.append(("aired", FeedDate.day(entry.modified)))
    fields.append(("season", entry.season.map(String.init)))
    fields.append(("episode", entry.episode.map(String.init)))
    let minutes = entry.media.duration.flatMap { Int(exactly: max(1, ($0 / 60).rounded())) }
    fields.append(("runtime", minutes.map(String.init)))
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
    PlainText.printable(text).reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
  }
}
