import Glibc

/// Converts seconds since 1970 to and from the HTTP and RSS form: `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  static func text(_ seconds: Int) -> String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
    let day = twoDigits(parts.tm_mday)
    return "\(days[Int(parts.tm_wday)]), \(day) \(months[Int(parts.tm_mon)]) "
      + "\(parts.tm_year + 1900) \(clock) GMT"
  }

  /// Parses a date; nil if it has another form.
  static func seconds(_ text: String) -> Int? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2]))
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int32($0) }
    guard clock.count == 3, let day = Int32(words[1]), let year = Int32(words[3]) else {
      return nil
    }
    var parts = tm()
    parts.tm_year = year &- 1900
    parts.tm_mon = Int32(month)
    parts.tm_mday = day
    parts.tm_hour = clock[0]
    parts.tm_min = clock[1]
    parts.tm_sec = clock[2]
    return timegm(&parts)
  }

  static var now: Int { time(nil) }

  private static func twoDigits(_ number: Int32) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
