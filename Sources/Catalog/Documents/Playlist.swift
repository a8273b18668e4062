package import FeedReading

/// Writes the listed entries as a playlist, in the feed's present order.
package enum Playlist {
  /// Returns an extended M3U that names files without their folders, so that it works at every
  /// mount point.
  package static func m3u8(of catalog: Catalog) -> Pieces {
    let order = catalog.listedOrder
    let batches = (order.count + batch - 1) / batch
    return Pieces(count: batches + 1) { number in
      guard number > 0 else { return Array(head(of: catalog).utf8) }
      let entries = order[(number - 1) * batch..<min(number * batch, order.count)]
      return Array(entries.compactMap(catalog.entry(number:)).map(lines).joined().utf8)
    }
  }

  /// The number of entries in one piece.
  private static let batch = 500

  private static func head(of catalog: Catalog) -> String {
    let title = oneLine(catalog.title)
    return "#EXTM3U\n" + (title.isEmpty ? "" : "#PLAYLIST:\(title)\n")
  }

  private static func lines(of entry: CatalogEntry) -> String {
    let title = oneLine(entry.shownTitle)
    let line = "#EXTINF:\(seconds(entry.duration)),\(title.isEmpty ? entry.name : title)"
    // A line that begins with "#" would be a comment.
    return "\(line)\n\(entry.name.hasPrefix("#") ? "./" : "")\(entry.name)\n"
  }

  /// Returns a duration in whole seconds; -1 if it is missing or not credible.
  private static func seconds(_ duration: Double?) -> Int {
    guard let duration, duration > 0, duration < 1e9 else { return -1 }
    return Int(duration.rounded())
  }

  /// Replaces line ends and marks of text direction with spaces. Titles can contain them, because
  /// strangers write titles.
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
  /// True for white space, controls, and marks of text direction (UAX #9).
  fileprivate var isSpace: Bool {
    guard !isASCII else { return value <= 0x20 || value == 0x7f }
    let isControl = properties.generalCategory == .control
    return isControl || properties.isWhitespace || properties.isBidiControl
  }
}
