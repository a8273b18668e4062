extension MailDate {
  /// "Fri, 01 May 2026 10:00:00 +0200", as nearly all feeds have it; nil for anything else, which
  /// `parse(_:)` takes its time for.
  static func parse(plain text: [UInt8]) -> Int? {
    var rest = text[...]
    if rest.count > 5, rest.prefix(3).allSatisfy(Byte.isLetter),
      rest.dropFirst(3).starts(with: ", ".utf8)
    {
      rest = rest.dropFirst(5)
    }
    guard let day = number(&rest, digits: 1...2, before: Byte.space),
      let month = month(&rest), let year = number(&rest, digits: 4...4, before: Byte.space),
      let hour = number(&rest, digits: 2...2, before: Byte.colon), hour < 24,
      let minute = number(&rest, digits: 2...2, before: Byte.colon), minute < 60,
      let second = number(&rest, digits: 2...2, before: Byte.space), second < 60,
      let zone = zone(rest)
    else { return nil }
    return FeedDate.seconds(
      year: year, month: month, day: day,
      clock: FeedDate.Clock(seconds: hour * 3600 + minute * 60 + second, zone: zone))
  }

  private static let months = [
    "jan ", "feb ", "mar ", "apr ", "may ", "jun ", "jul ", "aug ", "sep ", "oct ", "nov ", "dec ",
  ].map { Array($0.utf8) }

  private static func month(_ rest: inout ArraySlice<UInt8>) -> Int? {
    let name = rest.prefix(4).map(Byte.lowercased)
    rest = rest.dropFirst(4)
    return months.firstIndex(of: name).map { $0 + 1 }
  }

  private static func number(
    _ rest: inout ArraySlice<UInt8>, digits: ClosedRange<Int>, before end: UInt8
  ) -> Int? {
    let text = rest.prefix { Byte.isDigit($0) }
    guard digits.contains(text.count), rest.dropFirst(text.count).first == end else { return nil }
    rest = rest.dropFirst(text.count + 1)
    return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Seconds east of Greenwich.
  private static func zone(_ text: ArraySlice<UInt8>) -> Int? {
    if text.elementsEqual("GMT".utf8) || text.elementsEqual("UTC".utf8) { return 0 }
    let digits = text.dropFirst()
    guard let sign = text.first, [0x2B, 0x2D].contains(sign), digits.count == 4,
      digits.allSatisfy(Byte.isDigit)
    else { return nil }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    guard number / 100 < 15, number % 100 < 60 else { return nil }
    let seconds = number / 100 * 3600 + number % 100 * 60
    return sign == 0x2D ? -seconds : seconds
  }
}
