/// Reads and writes the times of cues: "01:02:03.456" or "02:03.456" (WebVTT §4.1).
enum TextTime {
  /// Reads a time, and returns it in milliseconds; nil for any other text.
  static func milliseconds(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let last = parts.last else { return nil }
    let seconds = last.split(whereSeparator: { $0 == "." || $0 == "," })
    guard (1...2).contains(seconds.count), let whole = number(seconds[0]), whole < 60,
      let minutes = number(parts[parts.count - 2]), minutes < 60,
      let hours = parts.count == 3 ? number(parts[0]) : 0, hours < 10_000
    else { return nil }
    var fraction = 0
    if seconds.count == 2 {
      guard let part = number((seconds[1] + "00").prefix(3)) else { return nil }
      fraction = part
    }
    return ((hours * 60 + minutes) * 60 + whole) * 1000 + fraction
  }

  /// Returns the text of a time. A negative time becomes 0.
  static func text(_ milliseconds: Int) -> String {
    let time = max(0, milliseconds)
    let parts = [time / 3_600_000, time / 60_000 % 60, time / 1000 % 60]
    let rest = String(time % 1000 + 1000).dropFirst()
    return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":") + "." + rest
  }

  private static func number(_ text: Substring) -> Int? {
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(text)
  }
}
