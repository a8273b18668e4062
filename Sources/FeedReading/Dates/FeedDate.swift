import Markup

/// Parses dates of publication, in all forms that publishers use.
///
/// All results are seconds since 1970. A time without a zone is in UTC.
package enum FeedDate {
  /// Parses the dates of RFC 822 and its successors, RFC 3339, ISO 8601 and asctime(3), also with
  /// the usual faults and in other languages.
  package static func parse(_ text: String) -> Int? {
    moment(text)?.seconds
  }

  /// A moment, and the time zone in which the publisher writes it.
  struct Moment: Hashable {
    /// Seconds since 1970.
    var seconds: Int
    /// The publisher's zone in seconds east of Greenwich.
    var zone: Int
  }

  /// Parses a date together with its zone; nil if the text is no date.
  static func moment(_ text: String) -> Moment? {
    let text = text.trimmed
    // No date is longer than 100 bytes, so a longer text is prose.
    guard text.utf8.count <= 100 else { return nil }
    return PlainDate.parse(text) ?? ISODate.parse(text) ?? MailDate.parse(text)
  }

  /// Returns the day on which a moment falls, as "2026-05-01". `seconds` is the moment in seconds
  /// since 1970.
  ///
  /// - Parameter zone: seconds east of Greenwich; nil for Greenwich.
  package static func day(_ seconds: Int, zone: Int? = nil) -> String {
    let (year, month, day) = civil(seconds.addingReportingOverflow(zone ?? 0).partialValue)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(two(month))-\(two(day))"
  }

  /// Returns the day in UTC on which a moment falls. `seconds` is the moment in seconds since 1970.
  package static func civil(_ seconds: Int) -> (year: Int, month: Int, day: Int) {
    // Counts the days from 0000-03-01 on, and divides them into eras of 400 years.
    let days = Int((Double(seconds) / 86400).rounded(.down)) + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  /// Returns the moment of a day and a time of day; nil if year, month or day is out of its range.
  ///
  /// A day that its month lacks, such as June 31, counts as a day of the next month.
  static func moment(year: Int, month: Int, day: Int, clock: Clock) -> Moment? {
    // Years below 100 are refused, because programs that have no date print the year 1.
    guard (100...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    let seconds = days(year, month) * 86400 + (day - 1) * 86400 + clock.seconds
    return Moment(seconds: seconds - clock.zone, zone: clock.zone)
  }

  /// Returns the days from 1970-01-01 to the first of the month.
  static func days(_ year: Int, _ month: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let shiftedMonth = month > 2 ? month - 3 : month + 9
    let leaps = shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
    return shiftedYear * 365 + leaps + (153 * shiftedMonth + 2) / 5 - 719_468
  }

  /// Returns the year that two or three digits mean (RFC 2822 §4.3). "04" is 2004, and "50" is
  /// 1950. Three digits are the years after 1900.
  static func year(ofTwoDigits number: Int) -> Int {
    number + (number < 50 ? 2000 : 1900)
  }

  /// A time of day and its distance from UTC.
  struct Clock: Hashable {
    /// Seconds from midnight.
    var seconds = 0
    /// Seconds east of Greenwich.
    var zone = 0
  }

  /// Returns the seconds from midnight of "H:MM", "HH:MM:SS" and so on; nil for any other text.
  /// Fractions are dropped.
  static func timeOfDay(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let hour = FeedNumber.digits(parts[0]),
      let minute = FeedNumber.digits(parts[1])
    else { return nil }
    var second = 0
    if parts.count == 3 {
      guard let whole = FeedNumber.digits(parts[2].prefix { $0 != "." && $0 != "," }) else {
        return nil
      }
      second = whole
    }
    return timeOfDay(hour, minute, second)
  }

  /// Returns seconds from midnight; nil for a time that does not exist. 24:00 and leap seconds are
  /// valid.
  static func timeOfDay(_ hour: Int, _ minute: Int, _ second: Int) -> Int? {
    guard (0...24).contains(hour), (0...59).contains(minute), (0...60).contains(second),
      hour < 24 || minute + second == 0
    else { return nil }
    return hour * 3600 + minute * 60 + second
  }
}
