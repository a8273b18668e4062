/// Numbers as HTTP writes them: ASCII digits alone, no sign, no space.
enum Decimal {
  /// Nil for anything but digits, and for what does not fit an `Int`.
  static func parse(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}
