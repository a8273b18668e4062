/// Collects the chapters of a playlist that tells their beginnings as dates (EXT-X-DATERANGE).
///
/// A date range is a chapter if its CLASS contains "chapter" and it has a title. Most other date
/// ranges mark advertisements.
struct DateRangeChapters {
  /// The first date of the playlist (EXT-X-PROGRAM-DATE-TIME), and the time to which it belongs,
  /// counted from the beginning of the stream.
  private var dated: (date: Double, place: Duration)?
  private var ranges: [(date: Double, title: String)] = []

  mutating func takeDate(_ text: String, at place: Duration) {
    guard dated == nil, let date = PlaylistDate.seconds(text) else { return }
    dated = (date, place)
  }

  mutating func take(_ list: AttributeList) {
    guard ranges.count < PlaylistLimits.chapters, let kind = list["CLASS"],
      kind.lowercased().contains("chapter"), let start = list["START-DATE"],
      let date = PlaylistDate.seconds(start), let title = list["X-TITLE"] ?? list["X-COM-TITLE"]
    else { return }
    ranges.append((date, String(title.prefix(200))))
  }

  /// The chapters in the order of their beginnings; empty if no segment of the playlist has a date.
  var chapters: [StreamChapter] {
    guard let dated else { return [] }
    let most = Double(PlaylistLimits.duration.components.seconds)
    let all = ranges.compactMap { range -> StreamChapter? in
      let offset = range.date - dated.date
      guard abs(offset) < most else { return nil }
      let start = dated.place + .milliseconds(Int((offset * 1000).rounded()))
      guard start >= .zero else { return nil }
      return StreamChapter(start: start.nanoseconds, title: range.title)
    }
    return all.sorted { $0.start < $1.start }
  }
}

/// Reads dates such as "2024-05-06T07:08:09.123+02:00" (ISO 8601).
enum PlaylistDate {
  /// Returns the seconds since 1970; nil for any other text. A date without a time zone is UTC.
  static func seconds(_ text: String) -> Double? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 19, bytes.count <= 40, bytes[4] == 0x2D, bytes[7] == 0x2D,
      bytes[13] == 0x3A, bytes[16] == 0x3A
    else { return nil }
    func number(_ place: Range<Int>) -> Int? {
      bytes[place].allSatisfy { (0x30...0x39).contains($0) }
        ? Int(String(decoding: bytes[place], as: UTF8.self)) : nil
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      (1...12).contains(month), (1...31).contains(day), hour < 25, minute < 60, second < 61
    else { return nil }
    let rest = bytes[19...]
    let fraction =
      rest.first == 0x2E ? rest.prefix { $0 == 0x2E || (0x30...0x39).contains($0) } : []
    let part = fraction.count > 1 ? Double("0" + String(decoding: fraction, as: UTF8.self)) ?? 0 : 0
    let zone = offset(rest.dropFirst(fraction.count))
    let time = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    return Double(time - zone) + part
  }

  /// Returns the offset of a time zone such as "+02:00" in seconds; 0 for "Z" and for any other
  /// text.
  private static func offset(_ zone: ArraySlice<UInt8>) -> Int {
    let digits = zone.dropFirst().filter { $0 != 0x3A }
    guard let sign = zone.first, sign == 0x2B || sign == 0x2D, digits.count == 4,
      let number = Int(String(decoding: digits, as: UTF8.self))
    else { return 0 }
    return (number / 100 * 3600 + number % 100 * 60) * (sign == 0x2D ? -1 : 1)
  }

  /// Returns the days from 1 January 1970 to a date of the Gregorian calendar.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + ofYear - 719_468
  }
}
