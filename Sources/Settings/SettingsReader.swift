import Quantities
internal import TOMLKit

/// Reads the values of one TOML table. `end` reports keys that no other call has read.
struct SettingsReader {
  enum Place: Hashable {
    case top
    /// The `[[feed]]` with this index.
    case feed(Int)
  }

  private let table: TOMLTable
  private let outline: TOMLOutline
  private let place: Place
  private var known: [String] = []

  init(_ table: TOMLTable, in outline: TOMLOutline, place: Place) {
    self.table = table
    self.outline = outline
    self.place = place
  }

  // MARK: Values

  mutating func text(_ key: String) throws(SettingsError) -> String? {
    guard let value = value(key) else { return nil }
    guard let text = value.string else { throw error(key, "has to be a text in quotes") }
    return text
  }

  /// Reads a text that must be one of the words of `Word`.
  mutating func word<Word: RawRepresentable<String> & CaseIterable>(
    _ key: String, of _: Word.Type = Word.self
  ) throws(SettingsError) -> Word? {
    guard let text = try text(key) else { return nil }
    guard let word = Word(rawValue: text) else {
      throw error(key, Self.choice(Word.allCases.map(\.rawValue)))
    }
    return word
  }

  /// Reads a list of texts, each of which must be one of the words of `Word`.
  mutating func words<Word: RawRepresentable<String> & CaseIterable>(
    _ key: String
  ) throws(SettingsError) -> [Word]? {
    try texts(key, of: Word.allCases.map(\.rawValue))?.compactMap(Word.init)
  }

  mutating func texts(
    _ key: String, of words: [String]? = nil
  ) throws(SettingsError) -> [String]? {
    guard let value = value(key) else { return nil }
    let texts = value.array?.compactMap(\.string)
    guard let texts, texts.count == value.array?.count else {
      throw error(key, "has to be a list of texts, like [\"a\", \"b\"]")
    }
    if let words, !texts.allSatisfy(words.contains) { throw error(key, Self.choice(words)) }
    return texts
  }

  /// A text, or a list of texts.
  enum Words {
    case one(String)
    case several([String])
  }

  mutating func textOrTexts(_ key: String) throws(SettingsError) -> Words? {
    guard let value = value(key) else { return nil }
    if let text = value.string { return .one(text) }
    let texts = value.array?.compactMap(\.string)
    guard let texts, texts.count == value.array?.count else {
      throw error(key, "has to be a text in quotes, or a list of them")
    }
    return .several(texts)
  }

  /// Reads a table that has only texts as values.
  mutating func pairs(_ key: String) throws(SettingsError) -> [String: String]? {
    guard let value = value(key) else { return nil }
    guard let table = value.table else {
      throw error(key, "has to be written as { name = \"text\" }")
    }
    var pairs: [String: String] = [:]
    for name in table.keys {
      guard let text = table[name]?.string else {
        throw error(key, "may have only texts in quotes")
      }
      pairs[name] = text
    }
    return pairs
  }

  mutating func flag(_ key: String) throws(SettingsError) -> Bool? {
    guard let value = value(key) else { return nil }
    guard let flag = value.bool else { throw error(key, "has to be true or false") }
    return flag
  }

  /// Reads a value that is written as a text. If it is only a number, it can be written without
  /// quotes.
  mutating func written<Value: WrittenValue>(_ key: String) throws(SettingsError) -> Value? {
    guard let value = value(key) else { return nil }
    let text = value.string ?? value.int.map { "\($0)" }
    guard let written = text.flatMap(Value.init(parsing:)) else {
      throw error(key, "has to be written \(Value.form), in quotes")
    }
    return written
  }

  /// Reads a length of time: a number of seconds, or a text like "5m". Returns seconds.
  mutating func seconds(
    _ key: String, _ range: ClosedRange<Double>
  ) throws(SettingsError) -> Double? {
    guard let value = value(key) else { return nil }
    let seconds =
      value.double ?? value.int.map(Double.init)
      ?? value.string.flatMap(TimeSpan.init(parsing:))?.seconds
    guard let seconds, range.contains(seconds) else {
      throw error(
        key,
        "has to be a time, like \"5m\" or 300, from \(Int(range.lowerBound)) to \(Int(range.upperBound)) seconds"
      )
    }
    return seconds
  }

  /// Reads a number of at least 1. If `orAll` is true, it can also be "all", which becomes
  /// `Int.max`.
  mutating func count(_ key: String, orAll: Bool = false) throws(SettingsError) -> Int? {
    guard let value = value(key) else { return nil }
    if orAll, value.string == "all" { return .max }
    guard let count = value.int, count > 0 else {
      throw error(key, "has to be a number from 1" + (orAll ? ", or \"all\"" : ""))
    }
    return count
  }

  mutating func tables(_ key: String) throws(SettingsError) -> [TOMLTable] {
    guard let value = value(key) else { return [] }
    let tables = value.array?.compactMap(\.table)
    guard let tables, tables.count == value.array?.count,
      outline.element(tables.count - 1, of: key).first != nil
    else {
      throw error(key, "has to be written as [[\(key)]], once for each")
    }
    return tables
  }

  /// Throws if a key is unknown. Must be called after all values were read.
  func end() throws(SettingsError) {
    let unknown = Set(table.keys).subtracting(known)
    guard let first = written.first(where: unknown.contains) ?? unknown.min() else { return }
    let near = known.first { Self.distance($0, first) <= 2 }
    let hint =
      near.map { "did you mean \($0)?" } ?? "the known keys are \(known.joined(separator: ", "))"
    let name = String(first.unicodeScalars.filter { $0.properties.generalCategory != .control })
    throw SettingsError(
      line: line(of: first), reason: "unknown key \"\(name.prefix(40))\": \(hint)")
  }

  // MARK: Errors

  func error(_ key: String, _ reason: String) -> SettingsError {
    SettingsError(line: line(of: key), reason: "\(key) \(reason)")
  }

  /// Returns an error about the table as a whole.
  func error(_ reason: String) -> SettingsError {
    SettingsError(line: statements.first?.line, reason: reason)
  }

  private static func choice(_ words: [String]) -> String {
    "can be " + words.map { "\"\($0)\"" }.joined(separator: ", ")
  }

  // MARK: Private

  private mutating func value(_ key: String) -> (any TOMLValueConvertible)? {
    known.append(key)
    return table[key]
  }

  /// The statements of this table.
  private var statements: [TOMLOutline.Statement] {
    switch place {
    case .top: outline.outside(elementsOf: "feed")
    case .feed(let number): Array(outline.element(number, of: "feed"))
    }
  }

  /// The keys of this table, in the order of the file.
  private var written: [String] { statements.compactMap(key) }

  /// Returns the line of a key, from 1; nil if the key is written with escapes.
  private func line(of key: String) -> Int? {
    statements.first { self.key($0) == key }?.line
  }

  /// Returns the first part of the key of `statement` that is within this table.
  private func key(_ statement: TOMLOutline.Statement) -> String? {
    switch place {
    case .top: statement.path.first
    case .feed: statement.kind == .value ? statement.path.first : statement.path.dropFirst().first
    }
  }

  /// Returns how many letters must be changed, added or left out to turn `one` into `other`
  /// (Levenshtein distance).
  private static func distance(_ one: String, _ other: String) -> Int {
    guard abs(one.utf8.count - other.utf8.count) <= 2 else { return .max }
    let other = Array(other)
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
      var next = [index + 1]
      for (place, candidate) in other.enumerated() {
        next.append(
          min(next[place] + 1, row[place + 1] + 1, row[place] + (letter == candidate ? 0 : 1)))
      }
      row = next
    }
    return row.last ?? 0
  }
}
