extension SettingsText {
  /// Gives the feed with the index `number` the address to which it has moved. The address that the
  /// user typed stays in the text as `was`. If the feed has moved back to that address, `was` is
  /// removed.
  ///
  /// - Throws: under the same condition as `add`.
  package mutating func move(feed number: Int, to url: String) throws(SettingsError) {
    guard settings.feeds.indices.contains(number) else {
      throw SettingsError(line: nil, reason: "there is no feed \(number + 1)")
    }
    let statements = TOMLOutline(text).element(number, of: "feed")
    let feed = settings.feeds[number]
    var expected = settings
    expected.feeds[number].url = url
    expected.feeds[number].was = url == feed.typed ? nil : feed.typed
    let bytes = Array(text.utf8)
    var lines: [(place: Range<Int>, new: [UInt8])] = []
    // The header of the feed's table comes first, then its own keys, and then the tables inside it,
    // such as `headers`.
    for statement in statements.dropFirst().prefix(while: { $0.kind == .value }) {
      let old = bytes[statement.bytes]
      switch statement.path {
      case ["url"]:
        guard let value = Self.value(of: old) else { continue }
        var new = Array(old[..<value.lowerBound])
        new += Array(Self.quoted(url).utf8)
        new += Array(old[value.upperBound...])
        if feed.was == nil, expected.feeds[number].was != nil {
          new += Self.line("was", feed.typed, behind: old, in: text)
        }
        lines.append((statement.bytes, new))
      case ["was"] where expected.feeds[number].was == nil:
        lines.append((statement.bytes, []))
      default: break
      }
    }
    var changed = bytes
    for line in lines.reversed() { changed.replaceSubrange(line.place, with: line.new) }
    try change(to: String(decoding: changed, as: UTF8.self), expected)
  }

  /// Returns a new line with a key and a text, to insert after `line`. It has the same indentation.
  private static func line(
    _ key: String, _ value: String, behind line: ArraySlice<UInt8>, in text: String
  ) -> [UInt8] {
    let end = text.contains("\r\n") ? "\r\n" : "\n"
    let indent = line.prefix { $0 == 0x20 || $0 == 0x09 }
    let new = String(decoding: indent, as: UTF8.self) + "\(key) = \(quoted(value))"
    let isClosed = line.last == UInt8(ascii: "\n")
    return Array((isClosed ? new + end : end + new).utf8)
  }

  /// Returns the place of the value in a statement, with its quotes; nil if the value is no quoted
  /// text.
  private static func value(of statement: ArraySlice<UInt8>) -> Range<Int>? {
    guard let equals = statement.firstIndex(of: UInt8(ascii: "=")),
      let start = statement[(equals + 1)...].firstIndex(where: { $0 != 0x20 && $0 != 0x09 }),
      [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(statement[start])
    else { return nil }
    let quote = statement[start]
    let marks = statement[start...].starts(with: [quote, quote, quote]) ? 3 : 1
    var place = start + marks
    while place < statement.endIndex {
      if statement[place...].starts(with: repeatElement(quote, count: marks)) {
        place += marks
        // A text of several lines can have one or two quotes as its own last characters.
        while marks == 3, place < statement.endIndex, statement[place] == quote { place += 1 }
        return start..<place
      }
      let isEscape = quote == UInt8(ascii: "\"") && statement[place] == UInt8(ascii: "\\")
      place += isEscape ? 2 : 1
    }
    return nil
  }
}
