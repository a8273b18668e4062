internal import TOMLKit

/// Takes the values of one table, and knows in the end which were not asked for.
struct SettingsReader {
  enum Place: Hashable {
    case top
    /// The n-th `[[feed]]`, from 0.
    case feed(Int)
  }

  private let table: TOMLTable
  private let source: String
  private let place: Place
  private var known: [String] = []

  init(_ table: TOMLTable, in source: String, place: Place) {
    self.table = table
    self.source = source
    self.place = place
  }

  // MARK: Values

  mutating func text(
    _ key: String, oneOf words: [String]? = nil
  ) throws(SettingsError) -> String? {
    guard let value = value(key) else { return nil }
    guard let text = value.string else { throw error(key, "has to be a text in quotes") }
    guard words?.contains(text) ?? true else { throw error(key, Self.choice(words ?? [])) }
    return text
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

  mutating func flag(_ key: String) throws(SettingsError) -> Bool? {
    guard let value = value(key) else { return nil }
    guard let flag = value.bool else { throw error(key, "has to be true or false") }
    return flag
  }

  mutating func number(
    _ key: String, _ range: ClosedRange<Double>
  ) throws(SettingsError) -> Double? {
    guard let value = value(key) else { return nil }
    guard let number = value.double ?? value.int.map(Double.init), range.contains(number) else {
      throw error(
        key, "has to be a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
    }
    return number
  }

  /// From 1; "all" is `Int.max`.
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
    guard let tables, tables.count == value.array?.count else {
      throw error(key, "has to be written as [[\(key)]], once for each")
    }
    return tables
  }

  /// To be called when everything was taken.
  func end() throws(SettingsError) {
    guard let unknown = table.keys.filter({ !known.contains($0) }).sorted().first else { return }
    let near = known.filter { Self.distance($0, unknown) <= 2 }.first
    let hint = near.map { "did you mean \($0)?" } ?? "known are \(known.joined(separator: ", "))"
    throw SettingsError(line: line(of: unknown), reason: "unknown key \"\(unknown)\": \(hint)")
  }

  // MARK: Errors

  func error(_ key: String, _ reason: String) -> SettingsError {
    SettingsError(line: line(of: key), reason: "\(key) \(reason)")
  }

  /// Of the table as a whole.
  func error(_ reason: String) -> SettingsError {
    SettingsError(line: sections.first { $0.place == place }?.line, reason: reason)
  }

  private static func choice(_ words: [String]) -> String {
    "can be " + words.map { "\"\($0)\"" }.joined(separator: ", ")
  }

  // MARK: Private

  private mutating func value(_ key: String) -> (any TOMLValueConvertible)? {
    known.append(key)
    return table[key]
  }

  private var lines: [Substring] {
    source.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// Where each table begins, from line 1; a line of a text over several lines may look like one.
  private var sections: [(place: Place, line: Int)] {
    var all: [(place: Place, line: Int)] = [(.top, 1)]
    for (index, line) in lines.enumerated()
    where line.filter({ !$0.isWhitespace }).hasPrefix("[[feed]]") {
      all.append((.feed(all.count - 1), index + 1))
    }
    return all
  }

  /// From 1; nil where it is written in a way that is not looked for.
  private func line(of key: String) -> Int? {
    let sections = sections
    guard let index = sections.firstIndex(where: { $0.place == place }) else { return nil }
    let end = index + 1 < sections.count ? sections[index + 1].line - 1 : lines.count
    return (sections[index].line...max(end, sections[index].line)).first { number in
      guard lines.indices.contains(number - 1) else { return false }
      let words = lines[number - 1].drop(while: \.isWhitespace).drop { $0 == "[" || $0 == "\"" }
      guard words.hasPrefix(key) else { return false }
      return words.dropFirst(key.count).first.map { "= \t\"].".contains($0) } ?? false
    }
  }

  /// Letters to change, add or leave out.
  private static func distance(_ one: String, _ other: String) -> Int {
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
