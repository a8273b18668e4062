/// Parses numbers as feeds write them.
enum FeedNumber {
  /// Returns a whole number above zero. Zero means "unknown" in lengths and in heights.
  static func positive(_ text: String?) -> Int? {
    guard let text, let number = Int(text.trimmed), number > 0 else { return nil }
    return number
  }

  /// Returns the whole part of a number.
  static func whole(_ text: String?) -> Int? {
    guard let text = text?.trimmed, !text.isEmpty else { return nil }
    return Int(text) ?? digits(text.prefix { $0 != "." })
  }

  static func positiveReal(_ text: String?) -> Double? {
    guard let text, let number = Double(text.trimmed), number > 0, number.isFinite else {
      return nil
    }
    return number
  }

  /// Returns a number of one to nine ASCII digits; nil for any other text.
  static func digits(_ text: Substring) -> Int? {
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy(Byte.isDigit) else { return nil }
    return Int(text)
  }
}
