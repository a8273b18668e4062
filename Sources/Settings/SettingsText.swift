/// The text of a configuration file, changed as little as can be: comments and order are its user's.
package struct SettingsText: Hashable, Sendable {
  package private(set) var text: String

  package init(_ text: String) {
    self.text = text
  }

  /// Adds a feed at the end.
  package mutating func add(_ feed: Subscription) {
    if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
    if !text.isEmpty { text += "\n" }
    text += "[[feed]]\nurl = \(Self.quoted(feed.url))\n"
    if let name = feed.name { text += "name = \(Self.quoted(name))\n" }
  }

  /// Takes the n-th feed out, from 0, up to the next table; comments that stand before that stay.
  package mutating func remove(feed number: Int) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let starts = lines.indices.filter { Self.begins(lines[$0], with: "[[feed]]") }
    guard starts.indices.contains(number) else { return }
    let start = starts[number]
    var end = lines.indices.first { $0 > start && Self.begins(lines[$0], with: "[") } ?? lines.count
    while end < lines.count, end > start + 1,
      Self.begins(lines[end - 1], with: "#") || lines[end - 1].allSatisfy(\.isWhitespace)
    {
      end -= 1
    }
    lines.removeSubrange(start..<end)
    text = lines.joined(separator: "\n")
  }

  private static func begins(_ line: String, with mark: String) -> Bool {
    line.filter { !$0.isWhitespace }.hasPrefix(mark)
  }

  /// A basic string of TOML.
  private static func quoted(_ text: String) -> String {
    let inner = text.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\"", "\\": return "\\\(scalar)"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: return String(scalar)
      }
    }
    return "\"\(inner.joined())\""
  }
}
