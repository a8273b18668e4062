import Markup

/// Parses dates that begin with their year: RFC 3339, ISO 8601, and the forms that databases print.
enum ISODate {
  static func parse(_ text: String) -> FeedDate.Moment? {
    let text = withMonthInDigits(text)
    let day = text.prefix { Byte.isDateByte($0) }
    guard let date = date(day) else { return nil }
    var rest = text[day.endIndex...]
    if let separator = rest.first {
      guard separator == "T" || separator == "t" || separator.isWhitespace else { return nil }
      rest = rest.dropFirst().drop { $0.isWhitespace }
    }
    guard let clock = clock(rest) else { return nil }
    var moment = FeedDate.moment(
      year: date.year, month: date.month, day: date.day, clock: clock)
    moment?.seconds += date.daysLater * 86400
    return moment
  }

  private struct Day {
    var year: Int
    var month = 1
    var day = 1
    /// The days to add to `year`-`month`-`day`, for dates that count the days or weeks of a year.
    var daysLater = 0
  }

  /// Turns "2004-July-08" into "2004-7-08".
  private static func withMonthInDigits(_ text: String) -> Substring {
    let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count == 4, FeedNumber.digits(parts[0]) != nil,
      let month = MonthName.number(of: parts[1])
    else { return text[...] }
    return "\(parts[0])-\(month)-\(parts[2])"
  }

  /// Parses "2004", "2004-07", "2004-07-08", "2004/7/8", "20040708", "2004-190", "2004190" and
  /// "2004-W28-4".
  private static func date(_ text: Substring) -> Day? {
    if text.contains(where: { $0 == "W" || $0 == "w" }) { return week(text) }
    let parts = text.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "-" || $0 == "/" })
    let numbers = parts.compactMap(FeedNumber.digits)
    guard numbers.count == parts.count, let year = numbers.first else {
      return short(parts)
    }
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
      return text.contains("/") ? nil : short(parts)
    }
  }

  /// Parses dates without the century, as ISO 8601 allowed until 2004: "04-07-08", "040708",
  /// "04-190", "04190", "-04-07", "-0407".
  private static func short(_ parts: [Substring]) -> Day? {
    let digits = parts.joined()
    guard let number = FeedNumber.digits(digits[...]) else { return nil }
    switch parts.map(\.count) {
    case [2, 2, 2], [6]:
      return Day(
        year: FeedDate.year(ofTwoDigits: number / 10000), month: number / 100 % 100,
        day: number % 100)
    case [2, 3], [5]:
      return ordinal(FeedDate.year(ofTwoDigits: number / 1000), number % 1000)
    case [0, 2, 2], [0, 4]:
      return Day(year: FeedDate.year(ofTwoDigits: number / 100), month: number % 100)
    default:
      return nil
    }
  }

  private static func ordinal(_ year: Int, _ day: Int) -> Day? {
    (1...366).contains(day) ? Day(year: year, daysLater: day - 1) : nil
  }

  /// Parses "2004-W28", "2004-W28-4" and "2004W284". Week 1 is the week that contains January 4.
  private static func week(_ text: Substring) -> Day? {
    let digits = text.filter { $0.isNumber }
    guard text.dropFirst(4).drop(while: { $0 == "-" }).first?.lowercased() == "w",
      digits.count == 6 || digits.count == 7, let year = FeedNumber.digits(digits.prefix(4)),
      let week = FeedNumber.digits(digits.dropFirst(4).prefix(2)), (1...53).contains(week),
      let day = digits.count == 6 ? 1 : FeedNumber.digits(digits.suffix(1)), (1...7).contains(day)
    else { return nil }
    // 1970-01-01 was a Thursday.
    let fourth = FeedDate.days(year, 1) + 3
    let weekday = ((fourth + 3) % 7 + 7) % 7
    return Day(year: year, daysLater: 3 - weekday + (week - 1) * 7 + day - 1)
  }

  /// Parses the time of day and its zone. An empty text is midnight in UTC.
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

  /// Parses "HH", "HHMM" and "HHMMSS", each with or without a fraction.
  private static func compact(_ text: Substring) -> Int? {
    let whole = text.prefix { $0 != "." && $0 != "," }
    guard let number = FeedNumber.digits(whole) else { return nil }
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
    character.isNumber || "-/Ww".contains(character)
  }
}
