/// Makes a text that strangers wrote safe for a terminal.
package enum PrintableText {
  /// Returns the text as one line, without terminal controls and marks of text direction.
  package static func line(_ text: String) -> String {
    PlainText.printable(text)
  }

  /// Returns the same lines without terminal controls and marks of text direction.
  package static func lines(_ text: String) -> String {
    if isPlain(text) { return text }
    return String(
      String.UnicodeScalarView(text.unicodeScalars.filter { $0 == "\n" || !isSteering($0) }))
  }

  /// Returns the same JSON with terminal controls and marks of text direction as escapes. The
  /// values stay the same.
  package static func json(_ text: String) -> String {
    if isPlain(text) { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      guard isSteering(scalar), scalar != "\n" else {
        result.unicodeScalars.append(scalar)
        return
      }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
  }

  /// Whether a character can control a terminal or change the direction of text.
  static func isSteering(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    default: break
    }
    switch scalar.value {
    // A byte order mark and the anchors of annotations are invisible.
    case 0xFEFF, 0xFFF9...0xFFFB: return true
    default: return scalar.properties.isBidiControl
    }
  }

  /// Whether a text is printable ASCII in lines, as nearly all texts are.
  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A }
  }
}
