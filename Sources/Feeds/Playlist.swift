/// The feed's order of today, for players.
package enum Playlist {
  /// An extended M3U of the listed files, by name, so that it works wherever the feed is mounted.
  package static func m3u8(of catalog: Catalog) -> [UInt8] {
    var text = "#EXTM3U\n"
    let title = oneLine(catalog.title)
    if !title.isEmpty {
      text += "#PLAYLIST:\(title)\n"
    }
    for entry in catalog.inFeedOrder {
      let title = oneLine(entry.title)
      text += "#EXTINF:\(seconds(entry.media.duration)),\(title.isEmpty ? entry.name : title)\n"
      text += "\(entry.name)\n"
    }
    return Array(text.utf8)
  }

  /// Whole seconds, or -1 where nothing that could be a length of time is known.
  private static func seconds(_ duration: Double?) -> Int {
    guard let duration, duration > 0, duration < 1e9 else { return -1 }
    return Int(duration.rounded())
  }

  /// A title can be written by anyone: what could end the line or turn its direction is a space.
  private static func oneLine(_ title: String) -> String {
    var line = String.UnicodeScalarView()
    var isGap = false
    for scalar in title.unicodeScalars {
      guard !scalar.isSpace else {
        isGap = !line.isEmpty
        continue
      }
      if isGap { line.append(" ") }
      isGap = false
      line.append(scalar)
    }
    return String(line)
  }
}

extension Unicode.Scalar {
  /// White space, controls, and what sets the direction of text (UAX #9).
  fileprivate var isSpace: Bool {
    guard !isASCII else { return value <= 0x20 || value == 0x7f }
    let isControl = properties.generalCategory == .control
    return isControl || properties.isWhitespace || properties.isBidiControl
  }
}
