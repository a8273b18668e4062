/// Dates that name their month, or whose parts come in another order than that of ISO 8601:
/// RFC 822, RFC 850, asctime(3), and how people write them.
enum MailDate {
  static func parse(_ text: String) -> Int? {
    var date = Parts()
    for word in words(of: text) {
      guard date.take(word) else { return nil }
    }
    return date.seconds
  }

  /// Comments in parentheses are left out; "01-Jan-04" is three words.
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

    /// False where the word says that this is no date.
    mutating func take(_ word: Substring) -> Bool {
      if word.contains(":"), word.first?.isNumber == true { return takeTime(word) }
      if let numeric = NumericDate(word), day == nil, year == nil {
        (day, month, year) = (numeric.day, numeric.month, numeric.year)
        return true
      }
      let cardinal = cardinal(word)
      if let number = FeedDate.digits(cardinal) { return takeNumber(number, cardinal) }
      if takeKorean(word) { return true }
      let isBetweenDayAndYear = day != nil && year == nil && timeOfDay == nil
      if let named = MonthName.number(of: word), month == nil || isBetweenDayAndYear {
        // "mar, 10 apr": the first was a day.
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
      // Names of days, in whatever language, and zones nobody knows.
      return true
    }

    /// "1st", "2nd" and "3." are numbers.
    private func cardinal(_ word: Substring) -> Substring {
      let digits = word.prefix { $0.isNumber }
      let rest = word[digits.endIndex...].lowercased()
      return ["st", "nd", "rd", "th", "er", "."].contains(rest) ? digits : word
    }

    private mutating func takeNumber(_ number: Int, _ word: Substring) -> Bool {
      if word.count > 2 || day != nil {
        // "+0100" without its sign is no year.
        guard year == nil else { return timeOfDay != nil }
        year = word.count == 4 ? number : FeedDate.year(ofTwoDigits: number)
        return word.count <= 4
      }
      day = number
      return true
    }

    /// "2004년", "5월", "28일": year, month and day, in the one zone where they are written.
    private mutating func takeKorean(_ word: Substring) -> Bool {
      guard let number = FeedDate.digits(word.dropLast()) else { return false }
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

    var seconds: Int? {
      guard let day, let month, let year else { return nil }
      let zone = zone ?? (half?.isKorean == true ? 9 * 3600 : 0)
      let clock = FeedDate.Clock(
        seconds: half.map { $0.of(timeOfDay ?? 0) } ?? timeOfDay ?? 0, zone: zone)
      return FeedDate.seconds(year: year, month: month, day: day, clock: clock)
    }
  }

  /// A half of the day, beside a time of a clock with twelve hours.
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

    /// The seconds from midnight; those of 24 hours stay what they are.
    func of(_ time: Int) -> Int {
      guard time < 13 * 3600 else { return time }
      return time % (12 * 3600) + (isAfternoon ? 12 * 3600 : 0)
    }
  }
}
