import Markup

/// Parses and prints durations, as in `itunes:duration`.
package enum FeedDuration {
  /// Returns the seconds of a duration such as "S", "S.fraction", "MM:SS" or "HH:MM:SS"; nil for a
  /// duration of zero, and for any other text.
  package static func parse(_ text: String) -> Double? {
    if let seconds = plain(text) { return seconds > 0 ? Double(seconds) : nil }
    let parts = text.trimmed.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count) else { return nil }
    var seconds = 0.0
    for (index, part) in parts.enumerated() {
      guard let number = number(part, isLast: index == parts.count - 1) else { return nil }
      seconds = seconds * 60 + number
    }
    return seconds > 0 ? seconds : nil
  }

  /// Prints a duration as a clock does: "4:05", "1:00:00".
  package static func clock(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 1e9).rounded())
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (whole / 3600, whole / 60 % 60)
    return hours > 0
      ? "\(hours):\(two(minutes)):\(two(whole % 60))" : "\(minutes):\(two(whole % 60))"
  }

  /// Returns the seconds of a text that has only digits and colons, as nearly all durations do; nil
  /// for any other text.
  private static func plain(_ text: String) -> Int? {
    var (seconds, part, digits, colons) = (0, 0, 0, 0)
    for byte in text.utf8 {
      if Byte.isDigit(byte), digits < 9 {
        part = part * 10 + Int(byte - 0x30)
        digits += 1
      } else if byte == Byte.colon, digits > 0, colons < 2 {
        seconds = (seconds + part) * 60
        (part, digits, colons) = (0, 0, colons + 1)
      } else {
        return nil
      }
    }
    return digits > 0 ? seconds + part : nil
  }

  private static func number(_ text: Substring, isLast: Bool) -> Double? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= (isLast ? 2 : 1), let whole = FeedNumber.digits(parts[0]) else {
      return nil
    }
    guard parts.count == 2 else { return Double(whole) }
    guard parts[1].utf8.allSatisfy(Byte.isDigit) else { return nil }
    return Double("\(whole).\(parts[1].isEmpty ? "0" : parts[1])")
  }
}
