internal import TOMLKit

extension Settings {
  /// The limit for the size of the file in bytes. No user writes that much by hand.
  package static let maxFileBytes = 1 << 20

  /// Reads the text of a configuration file.
  ///
  /// - Throws: an error with the line, if the text is not TOML, if a key is unknown, or if a value
  ///   has a wrong type or is out of range.
  package init(toml text: String) throws(SettingsError) {
    self.init()
    // The TOML parser would end a text at a NUL byte, even if the NUL is written as an escape.
    guard !text.utf8.contains(0), !text.contains("\\u0000"), !text.contains("\\U00000000") else {
      throw SettingsError(
        line: nil, reason: "the file has a NUL byte, which no text has; write it again")
    }
    let outline = TOMLOutline(text)
    // The TOML parser does not expect the mistakes that `TOMLOutline` finds, and would end the
    // process.
    if let mistake = outline.mistake {
      throw SettingsError(
        line: mistake,
        reason:
          "this is not TOML: texts need quotes, tables need a name, and brackets must be closed")
    }
    let table: TOMLTable
    do {
      table = try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      let line = error.source.begin.line
      throw SettingsError(line: line, reason: Self.unquoted(line, of: text) ?? error.description)
    } catch {
      throw SettingsError(line: nil, reason: "the file is not TOML: \(error)")
    }
    var reader = SettingsReader(table, in: outline, place: .top)
    try read(&reader)
    for (index, table) in try reader.tables("feed").enumerated() {
      feeds.append(try Subscription(table, in: outline, number: index))
    }
    try reader.end()
  }
}

extension Settings {
  /// If the value on `line` is a text without quotes, returns that as the reason why the text is
  /// not TOML; otherwise nil.
  private static func unquoted(_ line: Int, of text: String) -> String? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.indices.contains(line - 1) else { return nil }
    let sides = lines[line - 1].split(separator: "=", maxSplits: 1)
    guard let key = sides.first?.split(separator: " ").first, key.utf8.count <= 40,
      key.allSatisfy({ $0.isASCII && ($0.isLetter || "-_".contains($0)) }),
      let first = sides.dropFirst().first?.first(where: { $0 != " " && $0 != "\t" }),
      first.isLetter || first.isNumber || "/~.%".contains(first)
    else { return nil }
    return "\(key): the value needs quotes, unless it is a number, true or false"
  }
}

/// The reason why a configuration file cannot be used.
package struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line of the mistake, from 1; nil if it is not in one line.
  package let line: Int?
  /// The mistake, and what to do about it.
  package let reason: String

  package var description: String {
    line.map { "line \($0): \(reason)" } ?? reason
  }
}
