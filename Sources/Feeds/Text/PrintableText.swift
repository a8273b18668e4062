/// Text of strangers, made fit for a terminal.
package enum PrintableText {
  /// One line without anything that a terminal might obey or that turns the direction of the text.
  package static func line(_ text: String) -> String {
    PlainText.printable(text)
  }

  /// The same lines, each as above.
  package static func lines(_ text: String) -> String {
    if isPlain(text) { return text }
    return String(
      String.UnicodeScalarView(text.unicodeScalars.filter { $0 == "\n" || !isSteering($0) }))
  }

  /// The same JSON, with what is above taken away written as escapes: the values stay.
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

  static func isSteering(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    default: break
    }
    switch scalar.value {
    // A byte order mark, anchors of annotations: to be seen by nobody.
    case 0xFEFF, 0xFFF9...0xFFFB: return true
    default: return scalar.properties.isBidiControl
    }
  }

  /// Nearly all text is.
  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A }
  }
}
