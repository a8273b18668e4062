/// Counts the columns that a text takes up in a terminal, nearly as wcwidth(3) does, but without
/// depending on the locale.
enum ColumnCount {
  static func of(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + of($1) }
  }

  /// Returns the longest prefix of `text` that fits into `columns`. Characters stay whole.
  static func prefix(of text: String, _ columns: Int) -> String {
    var rest = columns
    return String(
      text.prefix { character in
        rest -= character.unicodeScalars.reduce(0) { $0 + of($1) }
        return rest >= 0
      })
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }
  }

  /// The wide blocks of Unicode Standard Annex #11, and the emoji.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
    0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
  ]
}
