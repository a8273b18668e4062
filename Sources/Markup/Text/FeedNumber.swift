/// Parses numbers as feeds write them.
package enum FeedNumber {
  /// Returns the whole number in a text; nil if it is not above zero. In lengths and heights, feeds
  /// write zero for "unknown".
  package static func positive(_ text: String?) -> Int? {
    guard let text, let number = Int(text.trimmed), number > 0 else { return nil }
    return number
  }

  /// Returns the whole part of a number; nil for any other text.
  package static func whole(_ text: String?) -> Int? {
    guard let text = text?.trimmed, !text.isEmpty else { return nil }
    return Int(text) ?? digits(text.prefix { $0 != "." })
  }

  package static func positiveReal(_ text: String?) -> Double? {
    guard let text else { return nil }
    // A short whole number is read in this quicker way, with the same result.
    if let whole = digits(text[...]) { return whole > 0 ? Double(whole) : nil }
    guard let number = Double(text.trimmed), number > 0, number.isFinite else { return nil }
    return number
  }

  /// Returns a number of one to nine ASCII digits; nil for any other text.
  package static func digits(_ text: Substring) -> Int? {
    var (number, count) = (0, 0)
    for byte in text.utf8 {
      guard Byte.isDigit(byte), count < 9 else { return nil }
      number = number * 10 + Int(byte - 0x30)
      count += 1
    }
    return count > 0 ? number : nil
  }
}
