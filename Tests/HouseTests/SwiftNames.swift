/// The names that a Swift file uses and defines, outside comments and string literals.
struct SwiftNames {
  /// Types that the file defines at top level.
  private(set) var defined: Set<String> = []
  /// Names with a capital letter.
  private(set) var named: Set<String> = []
  private(set) var imported: Set<String> = []

  private let bytes: [UInt8]
  private var at = 0
  private var depth = 0
  private var keyword = ""

  private static let definitions: Set = [
    "struct", "class", "enum", "protocol", "actor", "typealias",
  ]

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
      default:
        at += 1
        depth += byte == UInt8(ascii: "{") ? 1 : byte == UInt8(ascii: "}") ? -1 : 0
        open += byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
        if untilParenthesis, open < 0 { return }
      }
    }
  }

  private mutating func readWord() {
    let start = at
    while at < bytes.count, Self.isLetter(bytes[at]) || Self.isDigit(bytes[at]) { at += 1 }
    let word = String(decoding: bytes[start..<at], as: UTF8.self)
    defer { keyword = word }
    if keyword == "import" { imported.insert(word) }
    guard word.first?.isUppercase ?? false else { return }
    if depth == 0, Self.definitions.contains(keyword) { defined.insert(word) }
    named.insert(word)
  }

  private mutating func readText() {
    let quotes = bytes[at...].starts(with: "\"\"\"".utf8) ? 3 : 1
    at += quotes
    while at < bytes.count {
      if bytes[at...].starts(with: repeatElement(UInt8(ascii: "\""), count: quotes)) {
        at += quotes
        return
      }
      let isEscape = bytes[at] == UInt8(ascii: "\\")
      at += isEscape ? 2 : 1
      if isEscape, at <= bytes.count, bytes[at - 1] == UInt8(ascii: "(") {
        readCode(untilParenthesis: true)
      }
    }
  }

  private mutating func skip(to end: [UInt8]) {
    while at < bytes.count, !bytes[at...].starts(with: end) { at += 1 }
    at += end.count
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
