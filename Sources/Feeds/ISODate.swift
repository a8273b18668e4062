/// Dates that begin with their year: RFC 3339, ISO 8601, and what databases print.
enum ISODate {
  static func parse(_ text: String) -> Int? {
    let day = text.prefix { Byte.isDateByte($0) }
    guard let date = date(day) else { return nil }
    var rest = text[day.endIndex...]
    if let separator = rest.first {
      guard separator == "T" || separator == "t" || separator.isWhitespace else { return nil }
      rest = rest.dropFirst().drop { $0.isWhitespace }
    }
    guard let clock = clock(rest) else { return nil }
    return FeedDate.seconds(
      year: date.year, month: date.month, day: date.day, clock: clock
    ).map { $0 + date.daysLater * 86400 }
  }

  private struct Day {
    var year: Int
    var month = 1
    var day = 1
    /// For dates that count the days of the year.
    var daysLater = 0
  }

  /// "2004", "2004-07", "2004-07-08", "2004/7/8", "20040708", "2004-190", "2004190".
  private static func date(_ text: Substring) -> Day? {
    let parts = text.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "-" || $0 == "/" })
    let numbers = parts.compactMap(FeedDate.digits)
    guard numbers.count == parts.count, let year = numbers.first else { return nil }
    switch (parts.map(\.count), numbers.count) {
    case ([4], _):
      return Day(year: year)
    case ([7], _):
      return ordinal(year / 1000, year % 1000)
    case ([8], _):
      return Day(year: year / 10000, month: year / 100 % 100, day: year % 100)
    case ([4, 3], _):
      return ordinal(year, numbers[1])
    case (_, 2) where parts[0].count == 4:
      return Day(year: year, month: numbers[1])
    case (_, 3) where parts[0].count == 4:
      return Day(year: year, month: numbers[1], day: numbers[2])
    default:
      return nil
    }
  }

  private static func ordinal(_ year: Int, _ day: Int) -> Day? {
    (1...366).contains(day) ? Day(year: year, daysLater: day - 1) : nil
  }

  /// The time of day and its zone; midnight in UTC where nothing follows.
  private static func clock(_ text: Substring) -> FeedDate.Clock? {
    let time = text.prefix { $0.isNumber || $0 == ":" || $0 == "." || $0 == "," }
    var clock = FeedDate.Clock()
    if !time.isEmpty {
      guard let seconds = time.contains(":") ? FeedDate.timeOfDay(time) : compact(time) else {
        return nil
      }
      clock.seconds = seconds
    }
    let zone = text[time.endIndex...].filter { !$0.isWhitespace }
    if !zone.isEmpty {
      guard let offset = TimeZoneName.offset(zone[...]) else { return nil }
      clock.zone = offset
    }
    return clock
  }

  /// "HH", "HHMM", "HHMMSS", with a fraction.
  private static func compact(_ text: Substring) -> Int? {
    let whole = text.prefix { $0 != "." && $0 != "," }
    guard let number = FeedDate.digits(whole) else { return nil }
    switch whole.count {
    case 2: return FeedDate.timeOfDay(number, 0, 0)
    case 4: return FeedDate.timeOfDay(number / 100, number % 100, 0)
    case 6: return FeedDate.timeOfDay(number / 10000, number / 100 % 100, number % 100)
    default: return nil
    }
  }
}

extension Byte {
  fileprivate static func isDateByte(_ character: Character) -> Bool {
    character.isNumber || character == "-" || character == "/"
  }
}
