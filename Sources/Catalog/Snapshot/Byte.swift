/// Bytes that have a meaning in JSON.
enum Byte {
  static let quote = UInt8(ascii: "\"")
  static let slash = UInt8(ascii: "/")
  static let colon = UInt8(ascii: ":")
  static let space = UInt8(ascii: " ")
  static let openBracket = UInt8(ascii: "[")
  static let closeBracket = UInt8(ascii: "]")

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
  }
}
