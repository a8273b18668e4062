import Markup

/// The notes of an entry: what its publisher writes about it.
///
/// Notes stay as the feed writes them. They become plain text only when they are shown, because few
/// notes ever are. There is a limit for the notes of one entry, and one for all notes of a feed.
package enum ShowNotes {
  /// The limit for the notes of an entry, in bytes.
  static let maxBytes = 4 << 10

  /// The limit in bytes for all notes of a feed with this many entries. A feed with very many
  /// entries gets less, because it needs the memory for the entries themselves.
  package static func room(of entries: Int) -> Int {
    entries > 20_000 ? 1 << 20 : 8 << 20
  }

  /// Returns notes as plain text in lines. Rows of tables and items of lists become lines. The
  /// addresses of links are left out.
  package static func text(of notes: String) -> String {
    PlainText.lines(of: withoutCutTag(notes))
  }

  /// Returns notes without a tag that was cut in two at their end.
  private static func withoutCutTag(_ notes: String) -> String {
    guard let less = notes.lastIndex(of: "<"), !notes[less...].contains(">"),
      notes.utf8.count > maxBytes - 64
    else { return notes }
    return String(notes[..<less])
  }
}

extension EntryDraft {
  /// Uses a text as the notes, if it is longer than the notes so far.
  mutating func takeNotes(_ node: XMLNode) {
    // An Atom `content` of any other media type is data, not prose.
    let type = node["type"]?.lowercased() ?? ""
    guard !type.contains("/") || type.contains("html") || type.hasPrefix("text/") else { return }
    takeNotes(node.beginning(ShowNotes.maxBytes))
  }

  mutating func takeNotes(_ text: String) {
    guard text.utf8.count > notes.utf8.count else { return }
    notes = text
    guard text.utf8.count > ShowNotes.maxBytes else { return }
    var end = text.utf8.index(text.startIndex, offsetBy: ShowNotes.maxBytes)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    notes = String(text[..<end])
  }
}
