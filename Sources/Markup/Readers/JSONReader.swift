/// Reads JSON (RFC 8259) as found on the web. It also reads the readable part of a damaged
/// document.
///
/// The reader only moves forward, so its time is linear in the document's length. It descends at
/// most `XMLLimit.depth` levels, so its stack is bounded.
package struct JSONReader {
  /// The limit for the values of a document: 20 for each entry of the largest feed.
  package static let maxValues = 20 * XMLLimit.entries

  /// True when the document is damaged. Missing and extra commas do not count as damage.
  package private(set) var isDamaged = false
  /// True when the document ends within a value. Then it was probably cut off.
  package private(set) var isUnfinished = false
  /// True when a text was longer than the limit, and was cut.
  package private(set) var isTextCut = false
  /// True when values deeper than `XMLLimit.depth` were left out.
  package private(set) var isTooDeep = false
  /// True when the document has more values than the limit, so that some were not read.
  package private(set) var isCut = false

  private let bytes: [UInt8]
  private var at = 0
  private var depth = 0
  private var count = 0

  private let maxValues: Int

  package init(_ utf8: [UInt8], maxValues: Int = Self.maxValues) {
    bytes = utf8
    self.maxValues = maxValues
  }

  /// Returns the value of the document; null if it has none.
  package mutating func document() -> JSONValue {
    let value = value()
    if skipSpace() != nil { isDamaged = true }
    return value ?? .null
  }

  // MARK: Private

  /// Reads a value; nil if no complete value begins here.
  private mutating func value() -> JSONValue? {
    guard let first = skipSpace() else { return nil }
    count += 1
    switch first {
    case Byte.quote: return string().map { .string($0) }
    case UInt8(ascii: "{"), Byte.openBracket:
      guard depth < XMLLimit.depth else {
        skipNested()
        return .null
      }
      depth += 1
      at += 1
      defer { depth -= 1 }
      return first == Byte.openBracket ? .array(elements()) : .object(members())
    default: return word()
    }
  }

  private mutating func elements() -> [JSONValue] {
    var elements: [JSONValue] = []
    while let next = nextInside() {
      if Self.isEnd(next) {
        end(with: next, expected: Byte.closeBracket)
        break
      }
      if let value = value() { elements.append(value) } else { skipFault() }
    }
    return elements
  }

  private mutating func members() -> JSONObject {
    var object = JSONObject()
    while let next = nextInside() {
      if Self.isEnd(next) {
        end(with: next, expected: UInt8(ascii: "}"))
        break
      }
      guard next == Byte.quote, let key = string() else {
        skipFault()
        continue
      }
      guard skipSpace() == Byte.colon else {
        isDamaged = true
        continue
      }
      at += 1
      if let value = value() { object.append(value, for: key) } else { isDamaged = true }
    }
    return object
  }

  /// Skips white space and any number of commas, and returns the next byte inside an array or an
  /// object; nil if nothing more is read.
  private mutating func nextInside() -> UInt8? {
    if count >= maxValues {
      isCut = true
      at = bytes.count
      return nil
    }
    while let next = skipSpace() {
      if next != UInt8(ascii: ",") { return next }
      at += 1
    }
    (isDamaged, isUnfinished) = (true, true)
    return nil
  }

  private static func isEnd(_ byte: UInt8) -> Bool {
    byte == Byte.closeBracket || byte == UInt8(ascii: "}")
  }

  /// Ends an array or an object. A bracket of the wrong kind is not consumed, because the right
  /// bracket is probably missing. So the wrong one also ends the array or object around this one.
  private mutating func end(with byte: UInt8, expected: UInt8) {
    if byte == expected { at += 1 } else { isDamaged = true }
  }

  private mutating func skipFault() {
    isDamaged = true
    at = min(at + 1, bytes.count)
  }

  /// Skips an array or an object with its content.
  private mutating func skipNested() {
    isTooDeep = true
    var open = 0
    while let next = skipSpace() {
      switch next {
      case Byte.quote: _ = string()
      case UInt8(ascii: "{"), Byte.openBracket:
        open += 1
        at += 1
      case UInt8(ascii: "}"), Byte.closeBracket:
        open -= 1
        at += 1
        if open == 0 { return }
      default: at += 1
      }
    }
    isDamaged = true
  }

  /// Reads a number or a name. Any other word, such as JavaScript's NaN or Infinity, is null.
  private mutating func word() -> JSONValue? {
    let start = at
    while at < bytes.count, Self.isWord(bytes[at]) { at += 1 }
    // In a document that was cut off, the last word can be incomplete, so it is not taken.
    guard at > start, at < bytes.count || depth == 0 else { return nil }
    let word = String(decoding: bytes[start..<at], as: UTF8.self)
    switch word {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    default:
      if Byte.isDigit(bytes[start]) || bytes[start] == 0x2D, let number = Double(word),
        number.isFinite
      {
        return .number(word)
      }
      isDamaged = true
      return .null
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    Byte.isLetterOrDigit(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
  }

  /// Skips white space and returns the next byte.
  private mutating func skipSpace() -> UInt8? {
    while at < bytes.count {
      let byte = bytes[at]
      if byte > 0x20 { return byte }
      if !Byte.isSpace(byte) { isDamaged = true }
      at += 1
    }
    return nil
  }
}

// MARK: - Texts

extension JSONReader {
  /// Reads a string; nil if it never ends.
  private mutating func string() -> String? {
    at += 1
    var text: [UInt8] = []
    while at < bytes.count {
      let start = at
      while at < bytes.count, bytes[at] != Byte.quote, bytes[at] != UInt8(ascii: "\\") {
        if bytes[at] < 0x20 { isDamaged = true }
        at += 1
      }
      keep(bytes[start..<at], in: &text)
      guard at < bytes.count else { break }
      let isEnd = bytes[at] == Byte.quote
      at += 1
      if isEnd { return String(decoding: text, as: UTF8.self) }
      keep(escaped(), in: &text)
    }
    (isDamaged, isUnfinished) = (true, true)
    return nil
  }

  private mutating func keep(_ part: some Collection<UInt8>, in text: inout [UInt8]) {
    let room = XMLLimit.text - text.count
    if part.count > room { isTextCut = true }
    text.append(contentsOf: part.prefix(room))
  }

  /// Reads the escape behind a backslash.
  private mutating func escaped() -> [UInt8] {
    guard at < bytes.count else { return [] }
    let byte = bytes[at]
    at += 1
    switch byte {
    case UInt8(ascii: "b"), UInt8(ascii: "f"): return [Byte.space]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return Array(String(character()).utf8)
    default: return [byte]
    }
  }

  /// Reads the digits behind "\u". Half of a surrogate pair (RFC 8259 §8.2) becomes U+FFFD.
  private mutating func character() -> Unicode.Scalar {
    let first = unit()
    guard let first, UTF16.isLeadSurrogate(first) else {
      return first.flatMap { Unicode.Scalar($0) } ?? "\u{FFFD}"
    }
    let before = at
    if bytes[at...].starts(with: "\\u".utf8) {
      at += 2
      if let second = unit(), UTF16.isTrailSurrogate(second) {
        let offset = (UInt32(first) - 0xD800) << 10 | (UInt32(second) - 0xDC00)
        return Unicode.Scalar(0x10000 + offset) ?? "\u{FFFD}"
      }
    }
    at = before
    return "\u{FFFD}"
  }

  private mutating func unit() -> UInt16? {
    guard let digits = String(validating: bytes[at...].prefix(4), as: UTF8.self),
      digits.utf8.count == 4, digits.utf8.first.map(Byte.isLetterOrDigit) == true,
      let unit = UInt16(digits, radix: 16)
    else {
      isDamaged = true
      return nil
    }
    at += 4
    return unit
  }
}
