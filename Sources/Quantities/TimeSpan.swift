/// A length of time, as the user writes it: "90s", "5m", "1h30m", "30d".
package struct TimeSpan: Hashable, Codable, Sendable {
  package let seconds: Double
  /// True if the text was a number without a unit.
  package let isBare: Bool

  package init(seconds: Double, isBare: Bool = false) {
    self.seconds = seconds
    self.isBare = isBare
  }
}

extension TimeSpan: WrittenValue {
  package static let form = "as a time (90s, 5m, 1h30m, 30d)"

  /// Parses numbers with units, the largest unit first, with or without spaces between them. A
  /// number without a unit is in seconds.
  package init?(parsing text: String) {
    if let number = WrittenNumber(text), number.unit.isEmpty {
      self.init(seconds: number.value, isBare: true)
      return
    }
    var rest = Substring(text.lowercased())
    var all = 0.0
    var last = Int.max
    while !rest.isEmpty {
      let end = rest.drop { !$0.isLetter }
      let unit = end.prefix { $0.isLetter }
      guard let factor = Self.units[String(unit)], factor < last,
        let number = WrittenNumber(rest.prefix(rest.count - end.count + unit.count))
      else { return nil }
      all += number.value * Double(factor)
      last = factor
      rest = end.dropFirst(unit.count)
      if rest.first == " " { rest = rest.dropFirst() }
    }
    guard !text.isEmpty, text.last != " ", all < 0x1p40 else { return nil }
    self.init(seconds: all)
  }

  /// The number of seconds in each unit.
  private static let units: [String: Int] = [
    "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400,
  ]
}
