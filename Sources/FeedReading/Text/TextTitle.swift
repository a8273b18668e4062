import Markup

/// Makes the title of a post that has none, from the beginning of its text.
enum TextTitle {
  /// The most bytes of a text that are needed. Markup takes up some of them.
  static let room = 1024

  /// The most characters of a title.
  private static let maxLength = 80

  /// Returns the first sentence of `text`, which may be HTML, or as many of its words as fit.
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

  /// Returns the first bytes of `text`, without a tag that is cut in two.
  private static func whole(_ text: String) -> String {
    let start = String(decoding: text.utf8.prefix(room), as: UTF8.self)
    guard let less = start.lastIndex(of: "<"), !start[less...].contains(">") else { return start }
    return String(start[..<less])
  }
}
