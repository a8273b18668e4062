/// Bytes that have a meaning in XML and HTML.
package enum Byte {
  package static let less = UInt8(ascii: "<")
  package static let greater = UInt8(ascii: ">")
  static let ampersand = UInt8(ascii: "&")
  package static let semicolon = UInt8(ascii: ";")
  package static let hash = UInt8(ascii: "#")
  package static let slash = UInt8(ascii: "/")
  package static let colon = UInt8(ascii: ":")
  package static let equals = UInt8(ascii: "=")
  package static let quote = UInt8(ascii: "\"")
  static let apostrophe = UInt8(ascii: "'")
  static let underscore = UInt8(ascii: "_")
  package static let space = UInt8(ascii: " ")
  package static let openBracket = UInt8(ascii: "[")
  package static let closeBracket = UInt8(ascii: "]")

  static let escapedLess = Array("&lt;".utf8)
  static let escapedAmpersand = Array("&amp;".utf8)
  static let escapedQuote = Array("&quot;".utf8)

  package static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// True for control characters that XML forbids even as references.
  package static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && !isSpace(byte)
  }

  package static func isLetter(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(lowercased(byte))
  }

  package static func isDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte)
  }

  package static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte)
  }

  /// True for the bytes of names. XML allows more bytes in names, but feeds do not use them.
  static func isName(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || byte == underscore || byte == colon || byte == 0x2D || byte == 0x2E
  }

  package static func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }

  /// Whether XML allows this character (XML 1.0 §2.2).
  static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...: true
    default: false
    }
  }
}
