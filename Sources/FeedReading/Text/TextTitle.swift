import Markup

/// Makes a title from the beginning of an entry's text, for an entry that has no title.
enum TextTitle {
  /// How many bytes of a text are read to make a title. They suffice even if some of them are
  /// markup.
  static let room = 1024

  /// The limit for a title, in characters.
  private static let maxLength = 80

  /// Returns the first sentence of `text`, or as many of its words as fit. `text` can be HTML.
  static func of(_ text: String) -> String {
    if text.isEmpty { return "" }
    let words = PlainText.of(whole(text), isHTML: true)
    if let end = words.firstRange(of: ". ")?.lowerBound, words[..<end].count < maxLength {
      return String(words[...end])
    }
    guard words.count > maxLength else { return words }
    let start = words.prefix(maxLength)
    var cut = start.lastIndex(of: " ").map { start[..<$0] } ?? start
    while let last = cut.last, " ,;:-–".contains(last) { cut.removeLast() }
    return cut + "…"
  }

  /// Returns the first `room` bytes of `text`, without a tag that is cut in two at their end.
  private static func whole(_ text: String) -> String {
    let start = String(decoding: text.utf8.prefix(room), as: UTF8.self)
    guard let less = start.lastIndex(of: "<"), !start[less...].contains(">") else { return start }
    return String(start[..<less])
  }
}
