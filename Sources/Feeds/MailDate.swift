/// Dates that name their month: RFC 822, RFC 850, asctime(3), and how people write them.
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
    var zone: Int?

    /// False where the word says that this is no date.
    mutating func take(_ word: Substring) -> Bool {
      if word.contains(":"), word.first?.isNumber == true { return takeTime(word) }
      let cardinal = cardinal(word)
      if let number = FeedDate.digits(cardinal) { return takeNumber(number, cardinal) }
      let isBetweenDayAndYear = day != nil && year == nil && timeOfDay == nil
      if let named = MailDate.month(word), month == nil || isBetweenDayAndYear {
        // "mar, 10 apr": the first was a day.
        month = named
        return true
      }
      if isBetweenDayAndYear, month != nil { return false }
      if let half = MailDate.half(word), timeOfDay != nil { return takeHalf(half) }
      if timeOfDay != nil, zone == nil { zone = TimeZoneName.offset(word) }
      // Names of days, in whatever language, and zones nobody knows.
      return true
    }

    /// "1st", "2nd" and "3." are numbers.
    private func cardinal(_ word: Substring) -> Substring {
      let digits = word.prefix { $0.isNumber }
      let rest = word[digits.endIndex...].lowercased()
      return ["st", "nd", "rd", "th", "."].contains(rest) ? digits : word
    }

    private mutating func takeNumber(_ number: Int, _ word: Substring) -> Bool {
      if word.count > 2 || day != nil {
        // "+0100" without its sign is no year.
        guard year == nil else { return timeOfDay != nil }
        year = word.count == 4 ? number : number + (number < 50 ? 2000 : 1900)
        return word.count <= 4
      }
      day = number
      return true
    }

    private mutating func takeTime(_ word: Substring) -> Bool {
      let time = word.prefix { $0.isNumber || $0 == ":" || $0 == "." }
      guard timeOfDay == nil, let seconds = FeedDate.timeOfDay(time) else { return false }
      timeOfDay = seconds
      let rest = word[time.endIndex...]
      if let half = MailDate.half(rest) { return takeHalf(half) }
      if !rest.isEmpty { zone = TimeZoneName.offset(rest) }
      return true
    }

    private mutating func takeHalf(_ half: MailDate.Half) -> Bool {
      guard let time = timeOfDay, time < 13 * 3600 else { return timeOfDay != nil }
      timeOfDay = time % (12 * 3600) + (half == .afternoon ? 12 * 3600 : 0)
      return true
    }

    var seconds: Int? {
      guard let day, let month, let year else { return nil }
      return FeedDate.seconds(
        year: year, month: month, day: day,
        clock: FeedDate.Clock(seconds: timeOfDay ?? 0, zone: zone ?? 0))
    }
  }

  enum Half { case morning, afternoon }

  private static func half(_ word: Substring) -> Half? {
    switch word.lowercased() {
    case "am", "a.m.": .morning
    case "pm", "p.m.": .afternoon
    default: nil
    }
  }

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  /// In full or by its first letters, three at least, with or without a full stop.
  private static func month(_ word: Substring) -> Int? {
    let name = word.lowercased().filter { $0 != "." }
    guard name.count >= 3 else { return nil }
    return months.firstIndex { $0.hasPrefix(name) }.map { $0 + 1 }
  }
}
