/// The text of a configuration file. A change keeps all other text as it is, because comments and
/// order are the user's.
package struct SettingsText: Hashable, Sendable {
  package private(set) var text: String
  /// The settings that the text contains.
  package private(set) var settings: Settings

  package init(_ text: String) throws(SettingsError) {
    self.text = text
    settings = try Settings(toml: text)
  }

  /// Adds feeds at the end of the text.
  ///
  /// - Throws: if the new text would also change other settings. Then the text stays as before.
  package mutating func add(_ feeds: [Subscription]) throws(SettingsError) {
    let end = text.contains("\r\n") ? "\r\n" : "\n"
    var added = text
    if let last = text.utf8.last, last != UInt8(ascii: "\n") { added += end }
    for feed in feeds {
      if !added.isEmpty, !added.hasSuffix(end + end) { added += end }
      added += "[[feed]]\(end)url = \(Self.quoted(feed.url))\(end)"
      if let name = feed.name { added += "name = \(Self.quoted(name))\(end)" }
      for line in Self.lines(for: feed.settings.rules) { added += line + end }
      if let keep = feed.settings.keep { added += Self.line(for: keep) + end }
    }
    var expected = settings
    expected.feeds += feeds
    try change(to: added, expected)
  }

  /// Removes the feed with the index `number`. Comments that belong to the next statement stay.
  ///
  /// - Throws: under the same condition as `add`.
  package mutating func remove(feed number: Int) throws(SettingsError) {
    let statements = TOMLOutline(text).element(number, of: "feed")
    guard let first = statements.first, let last = statements.last else {
      throw SettingsError(line: nil, reason: "there is no feed \(number + 1)")
    }
    let bytes = Array(text.utf8)
    let rest = bytes[last.bytes.upperBound...]
    let kept = bytes[..<first.bytes.lowerBound] + rest.dropFirst(Self.tail(of: rest))
    var expected = settings
    expected.feeds.remove(at: number)
    try change(to: String(decoding: kept, as: UTF8.self), expected)
  }

  /// Returns the line, from 1, on which the text sets a key outside of `[[feed]]`; nil if the text
  /// does not set the key there.
  package static func line(of key: String, of text: String) -> Int? {
    TOMLOutline(text).outside(elementsOf: "feed").first { $0.path.first == key }?.line
  }

  /// Returns the line, from 1, on which the text sets a key of the feed with the index `number`. If
  /// the feed does not have the key, returns the line on which the feed begins.
  package static func line(of key: String, inFeed number: Int, of text: String) -> Int? {
    let statements = TOMLOutline(text).element(number, of: "feed")
    let found = statements.first { statement in
      (statement.kind == .value ? statement.path.first : statement.path.dropFirst().first) == key
    }
    return (found ?? statements.first)?.line
  }

  // MARK: Private

  mutating func change(to text: String, _ expected: Settings) throws(SettingsError) {
    guard try Settings(toml: text) == expected else {
      throw SettingsError(
        line: nil,
        reason: "this change would change other parts of the file too; edit the file by hand")
    }
    self.text = text
    settings = expected
  }

  /// Returns how many bytes after the last key of a table belong to the table: comments before the
  /// first empty line, and empty lines.
  private static func tail(of rest: ArraySlice<UInt8>) -> Int {
    var length = 0
    var comments = 0
    var hasGap = false
    for line in rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let first = line.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
      if first == UInt8(ascii: "#") {
        if hasGap { return length }
        comments += line.count + 1
      } else if first == nil {
        hasGap = true
        length += comments + line.count + 1
        comments = 0
      } else {
        return length
      }
    }
    return min(length + comments, rest.count)
  }

  /// Returns `text` as a basic string of TOML, with its quotes.
  static func quoted(_ text: String) -> String {
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
