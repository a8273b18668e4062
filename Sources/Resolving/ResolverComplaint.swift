import Addresses
import Markup

/// Turns a resolver's error output into one line. The queries of addresses are left out, because
/// they may be secret.
enum ResolverComplaint {
  private static let maxLength = 200  // characters

  /// Returns the last line of `errors` that begins with "ERROR", or else the last line; nil if
  /// there is no line.
  static func shown(_ errors: [UInt8]) -> String? {
    let lines = String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { PrintableText.line(String($0)) }.filter { !$0.isEmpty }
    guard let line = lines.last(where: { $0.hasPrefix("ERROR") }) ?? lines.last else { return nil }
    let words = line.split(separator: " ").map { shownWord(String($0)) }.joined(separator: " ")
    return words.count > maxLength ? words.prefix(maxLength) + "…" : words
  }

  private static func shownWord(_ word: String) -> String {
    guard let scheme = word.firstRange(of: "://") else {
      // A word with "?" and "=" may be a part of an address, or a field with a secret value.
      return word.contains("?") && word.contains("=") ? "…" : word
    }
    let start = word[..<scheme.lowerBound].lastIndex { !$0.isLetter }
    let from = start.map { word.index(after: $0) } ?? word.startIndex
    let end = word[from...].firstIndex { "\"'<>)]},".contains($0) } ?? word.endIndex
    return word[..<from] + WebAddress.shown(String(word[from..<end])) + word[end...]
  }
}
