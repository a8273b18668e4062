/// Finds the statements of a TOML text, one after the other.
///
/// It recognizes texts (in `"` or `'`, also over several lines), comments and brackets, because a
/// line inside them can look like a table.
struct TOMLScanner {
  private let bytes: [UInt8]
  private var place = 0
  private var line = 1
  /// See `TOMLOutline.mistake`.
  private(set) var mistake: Int?

  init(_ text: String) {
    bytes = Array(text.utf8)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }  // a byte order mark
  }

  mutating func next() -> TOMLOutline.Statement? {
    var start = place
    while let byte = current, byte.isBlank || byte == .newline || byte == .hash {
      if byte == .hash { skipComment() } else { advance() }
      if byte == .newline { start = place }
    }
    guard current != nil else { return nil }
    let first = line
    var kind = TOMLOutline.Statement.Kind.value
    if current == .bracket {
      advance()
      kind = current == .bracket ? .element : .table
      if kind == .element { advance() }
      while current == 0x20 || current == 0x09 { advance() }
      if current?.beginsKey != true { noteMistake() }
    }
    let path = key()
    if kind == .value { skipValue() }
    skipLine()
    return TOMLOutline.Statement(kind: kind, path: path, line: first, bytes: start..<place)
  }

  // MARK: Private

  private var current: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func noteMistake() {
    mistake = mistake ?? line
  }

  /// True if the current byte is a "T" after a date, and no time follows.
  private var isHalfADate: Bool {
    guard let byte = current, byte | 0x20 == UInt8(ascii: "t"), place > 0 else { return false }
    let next = place + 1 < bytes.count ? bytes[place + 1] : 0
    return bytes[place - 1].isDigit && !next.isDigit
  }

  private mutating func advance() {
    if current == .newline { line += 1 }
    place += 1
  }

  /// Reads a key, up to "=", "]" or the end of the line. Returns its parts.
  private mutating func key() -> [String] {
    var path: [String] = []
    var word: [UInt8] = []
    while let byte = current, byte != .equals, byte != .closing, byte != .newline {
      if byte == .quote || byte == .apostrophe {
        let start = place + 1
        skipText()
        word += bytes[min(start, place)..<max(min(start, place), place - 1)]
        continue
      }
      if byte == .dot {
        path.append(String(decoding: word, as: UTF8.self))
        word = []
      } else if !byte.isBlank {
        word.append(byte)
      }
      advance()
    }
    return path + [String(decoding: word, as: UTF8.self)]
  }

  /// Skips the "=" and the value after it.
  private mutating func skipValue() {
    var open: [UInt8] = []
    while let byte = current, byte != .newline || !open.isEmpty {
      switch byte {
      case .quote, .apostrophe: skipText()
      case .hash: skipComment()
      case .bracket, .brace:
        open.append(byte)
        advance()
      case .closing, .closingBrace:
        if open.popLast() != (byte == .closing ? .bracket : .brace) { noteMistake() }
        advance()
      default:
        if byte > 0x7E || isHalfADate { noteMistake() }
        advance()
      }
    }
  }

  private mutating func skipText() {
    guard let quote = current else { return }
    let isLong = bytes[place...].starts(with: [quote, quote, quote])
    let end = isLong ? 3 : 1
    for _ in 0..<end { advance() }
    while let byte = current, isLong || byte != .newline {
      if bytes[place...].starts(with: repeatElement(quote, count: end)) {
        for _ in 0..<end { advance() }
        // A text of several lines can have one or two quotes as its own last characters.
        while isLong, current == quote { advance() }
        return
      }
      if byte == .backslash, quote == .quote { advance() }
      advance()
    }
    place = min(place, bytes.count)
  }

  private mutating func skipComment() {
    while current != nil, current != .newline { advance() }
  }

  private mutating func skipLine() {
    skipComment()
    if current != nil { advance() }
  }
}

extension UInt8 {
  fileprivate static let newline = UInt8(ascii: "\n")
  fileprivate static let hash = UInt8(ascii: "#")
  fileprivate static let quote = UInt8(ascii: "\"")
  fileprivate static let apostrophe = UInt8(ascii: "'")
  fileprivate static let backslash = UInt8(ascii: "\\")
  fileprivate static let equals = UInt8(ascii: "=")
  fileprivate static let dot = UInt8(ascii: ".")
  fileprivate static let bracket = UInt8(ascii: "[")
  fileprivate static let closing = UInt8(ascii: "]")
  fileprivate static let brace = UInt8(ascii: "{")
  fileprivate static let closingBrace = UInt8(ascii: "}")

  /// True for a letter, a digit, "-", "_" or a quotation mark.
  fileprivate var beginsKey: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F, .quote, .apostrophe: true
    default: false
    }
  }

  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }

  fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0D }
}
