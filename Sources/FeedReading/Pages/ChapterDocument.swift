import Markup
package import Streams

/// Reads chapters in JSON, from the document that `podcast:chapters` names, or from a resolver's
/// document.
package enum ChapterDocument {
  /// Returns the chapters in a document, sorted by time; nil if the document has no list of
  /// chapters, or is too long.
  ///
  /// Chapters with `"toc": false` only show a picture or a link for a while, and are left out.
  package static func chapters(_ document: [UInt8]) -> [StreamChapter]? {
    guard document.count <= maxBytes else { return nil }
    var reader = JSONReader(document, maxValues: 20 * PlaylistLimits.chapters)
    let value = reader.document()
    return value["chapters"]?.array.map { _ in chapters(in: value) }
  }

  /// Returns the chapters in the member "chapters" of an object; empty if there is no such list.
  static func chapters(in value: JSONValue) -> [StreamChapter] {
    let rows = (value["chapters"]?.array ?? []).prefix(PlaylistLimits.chapters)
    let all = rows.compactMap { row -> StreamChapter? in
      guard let start = time(row["startTime"] ?? row["start_time"]) else { return nil }
      if case .bool(false)? = row["toc"] { return nil }
      guard let title = row.text("title").flatMap({ PlainText.of($0).nonEmpty }) else { return nil }
      return StreamChapter(start: start, title: String(title.prefix(200)))
    }
    return all.sorted { $0.start < $1.start }
  }

  /// The limit for the length of a document, in bytes.
  private static let maxBytes = 1 << 20

  /// Turns seconds, which are a number or a text, into nanoseconds; nil for any other value. Zero
  /// is valid.
  private static func time(_ value: JSONValue?) -> Int? {
    switch value {
    case .number(let text)?, .string(let text)?:
      guard let seconds = Double(text), (0..<1_000_000).contains(seconds) else { return nil }
      return Int((seconds * 1000).rounded()) * 1_000_000
    default: return nil
    }
  }
}
