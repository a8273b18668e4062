import Markup

/// Parses dates that name their month, or whose parts have another order than in ISO 8601. Such
/// dates are those of RFC 822, RFC 850 and asctime(3), and handwritten ones.
enum MailDate {
  static func parse(_ text: String) -> FeedDate.Moment? {
    var date = Parts()
    for word in words(of: text) {
      guard date.take(word) else { return nil }
    }
    return date.moment
  }

  /// Splits a text into words, and leaves out comments in parentheses. "01-Jan-04" becomes three
  /// words.
  private static func words(of text: String) -> [Substring] {
    var depth = 0
    var cleaned = ""
    for character in text {
      if character == "(" { depth += 1 }
      if depth == 0 { cleaned.append(character) }
      if character == ")", depth > 0 { depth -= 1 }
    }
    return cleaned.split { $0.isWhitespace || $0 == "," }.flatMap { word in
      let parts = word.split(separator: "-", omittingEmptySubsequences: false)
      let isDate = parts.count == 3 && parts[1].first?.isLetter == true
      return isDate ? parts : [word]
    }
  }

  private struct Parts {
    var day: Int?
    var month: Int?
    var year: Int?
    var timeOfDay: Int?
    var half: Half?
    var zone: Int?

    /// Reads one word of the date. Returns false if the word shows that the text is no date.
    mutating func take(_ word: Substring) -> Bool {
      if word.contains(":"), word.first?.isNumber == true { return takeTime(word) }
      if let numeric = NumericDate(word), day == nil, year == nil {
        (day, month, year) = (numeric.day, numeric.month, numeric.year)
        return true
      }
      let cardinal = cardinal(word)
      if let number = FeedNumber.digits(cardinal) { return takeNumber(number, cardinal) }
      if takeKorean(word) { return true }
      let isBetweenDayAndYear = day != nil && year == nil && timeOfDay == nil
      if let named = MonthName.number(of: word), month == nil || isBetweenDayAndYear {
        // A second month replaces the first: in "mar, 10 apr" the first word means Tuesday
        // ("martes"), not March.
        month = named
        return true
      }
      if isBetweenDayAndYear, month != nil { return false }
      if let named = Half(word) {
        half = named
      } else if timeOfDay != nil, zone == nil {
        zone = TimeZoneName.offset(word)
        let isOffset = word.first == "+" || word.first == "-"
        return zone != nil || !isOffset
      }
      // Other words are ignored: names of days in any language, and unknown zones.
      return true
    }

    /// Returns the digits of "1st", "2nd" and "3.". Returns any other word as it is.
    private func cardinal(_ word: Substring) -> Substring {
      let digits = word.prefix { $0.isNumber }
      let rest = word[digits.endIndex...].lowercased()
      return ["st", "nd", "rd", "th", "er", "."].contains(rest) ? digits : word
    }

    private mutating func takeNumber(_ number: Int, _ word: Substring) -> Bool {
      if word.count > 2 || day != nil {
        // A number after the year and the time is a zone without its sign, as in "0100". It is
        // ignored.
        guard year == nil else { return timeOfDay != nil }
        year = word.count == 4 ? number : FeedDate.year(ofTwoDigits: number)
        return word.count <= 4
      }
      day = number
      return true
    }

    /// Reads a year, month or day in the form "2004년", "5월" or "28일". The zone is then Korea's,
    /// because only Korea writes dates like that.
    private mutating func takeKorean(_ word: Substring) -> Bool {
      guard let number = FeedNumber.digits(word.dropLast()) else { return false }
      switch word.last {
      case "년": year = number
      case "월": month = number
      case "일": day = number
      default: return false
      }
      zone = zone ?? 9 * 3600
      return true
    }

    private mutating func takeTime(_ word: Substring) -> Bool {
      let time = word.prefix { $0.isNumber || $0 == ":" || $0 == "." }
      guard timeOfDay == nil, let seconds = FeedDate.timeOfDay(time) else { return false }
      timeOfDay = seconds
      let rest = word[time.endIndex...]
      return rest.isEmpty || take(rest)
    }

    var moment: FeedDate.Moment? {
      guard let day, let month, let year else { return nil }
      let zone = zone ?? (half?.isKorean == true ? 9 * 3600 : 0)
      let clock = FeedDate.Clock(
        seconds: half.map { $0.of(timeOfDay ?? 0) } ?? timeOfDay ?? 0, zone: zone)
      return FeedDate.moment(year: year, month: month, day: day, clock: clock)
    }
  }

  /// A half of the day, for times of a 12-hour clock.
  private struct Half {
    private let isAfternoon: Bool
    let isKorean: Bool

    init?(_ word: Substring) {
      switch word.lowercased() {
      case "am", "a.m.", "오전": isAfternoon = false
      case "pm", "p.m.", "오후": isAfternoon = true
      default: return nil
      }
      isKorean = word.first?.isASCII == false
    }

    /// Turns a time of a 12-hour clock into seconds from midnight. A time from 13:00 on is of a
    /// 24-hour clock, and is returned unchanged.
    func of(_ time: Int) -> Int {
      guard time < 13 * 3600 else { return time }
      return time % (12 * 3600) + (isAfternoon ? 12 * 3600 : 0)
    }
  }
}

/// A day written in three numbers. The separator shows their order.
private struct NumericDate {
  let year: Int
  let month: Int
  let day: Int

  /// Parses July 8 in the forms "2004-7-8", "2004/7/8", "2004.7.8", "8.7.2004", "8-7-2004" and
  /// "7/8/2004". If the year comes last, and the number at the place of the month is above 12, this
  /// number is taken as the day.
  init?(_ text: Substring) {
    guard let separator = text.first(where: { !$0.isNumber }), "-/.".contains(separator) else {
      return nil
    }
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    let numbers = parts.compactMap(FeedNumber.digits)
    guard numbers.count == 3, parts.count == 3, parts[1].count <= 2 else { return nil }
    if parts[0].count == 4 {
      (year, month, day) = (numbers[0], numbers[1], numbers[2])
      return
    }
    guard parts[0].count <= 2, parts[2].count == 4 || parts[2].count == 2 else { return nil }
    year = parts[2].count == 4 ? numbers[2] : FeedDate.year(ofTwoDigits: numbers[2])
    let isMonthFirst = separator == "/" ? numbers[0] <= 12 : numbers[1] > 12
    (month, day) = isMonthFirst ? (numbers[0], numbers[1]) : (numbers[1], numbers[0])
  }
}
