/// The tokens of a Swift file, without comments.
struct SwiftTokens {
  enum Token: Equatable {
    case word(String)
    /// A character that is no part of a word.
    case sign(Character)
    /// The beginning of a string literal. The code of its interpolations follows, in parentheses.
    case text
    case lineEnd
  }

  private(set) var tokens: [Token] = []

  private let bytes: [UInt8]
  private var at = 0

  init(in text: String) {
    bytes = Array(text.utf8)
    readCode(untilParenthesis: false)
  }

  /// - Parameter untilParenthesis: true for code within a string literal, which ends with its
  ///   parenthesis.
  private mutating func readCode(untilParenthesis: Bool) {
    var open = 0
    while at < bytes.count {
      let byte = bytes[at]
      switch byte {
      case UInt8(ascii: "/") where next == byte: skip(to: [0x0A])
      case UInt8(ascii: "/") where next == UInt8(ascii: "*"): skip(to: Array("*/".utf8))
      case UInt8(ascii: "\""): readText()
      case _ where Self.isLetter(byte): readWord()
      case UInt8(ascii: " "): at += 1
      case 0x0A:
        tokens.append(.lineEnd)
        at += 1
      default:
        at += 1
        tokens.append(.sign(Character(Unicode.Scalar(byte))))
        open += byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
        if untilParenthesis, open == 0 { return }
      }
    }
  }

  private mutating func readWord() {
    let start = at
    while at < bytes.count, Self.isLetter(bytes[at]) || Self.isDigit(bytes[at]) { at += 1 }
    tokens.append(.word(String(decoding: bytes[start..<at], as: UTF8.self)))
  }

  private mutating func readText() {
    tokens.append(.text)
    let quotes = bytes[at...].starts(with: "\"\"\"".utf8) ? 3 : 1
    at += quotes
    while at < bytes.count {
      if bytes[at...].starts(with: repeatElement(UInt8(ascii: "\""), count: quotes)) {
        at += quotes
        return
      }
      let isEscape = bytes[at] == UInt8(ascii: "\\")
      if isEscape, next == UInt8(ascii: "(") {
        at += 1
        readCode(untilParenthesis: true)
      } else {
        at += isEscape ? 2 : 1
      }
    }
  }

  /// Skips a comment. The end of its line is a token.
  private mutating func skip(to end: [UInt8]) {
    while at < bytes.count, !bytes[at...].starts(with: end) { at += 1 }
    if end != [0x0A] { at += end.count }
  }

  private var next: UInt8? {
    at + 1 < bytes.count ? bytes[at + 1] : nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte == 0x5F
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= 0x30 && byte <= 0x39
  }
}
