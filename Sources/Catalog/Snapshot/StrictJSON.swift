/// Reads JSON that feedfs wrote. Any unexpected value is an error.
///
/// Unlike `JSONReader`, it builds no tree. The caller knows the shape of the JSON, and reads one
/// value after the other.
struct StrictJSON {
  /// Thrown when the next value is not the expected one.
  struct Fault: Error {}

  /// The limit for the depth of a value that `skip` accepts.
  private static let maxDepth = 64

  private let bytes: [UInt8]
  private(set) var at: Int

  init(_ bytes: [UInt8], at start: Int = 0) {
    self.bytes = bytes
    at = start
  }

  /// Reads an object. Calls `member` with each key; `member` must read the value.
  mutating func object(_ member: (inout StrictJSON, String) throws(Fault) -> Void) throws(Fault) {
    try expect(UInt8(ascii: "{"))
    if take(UInt8(ascii: "}")) { return }
    repeat {
      let key = try text()
      try expect(Byte.colon)
      try member(&self, key)
    } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "}"))
  }

  mutating func array<Item>(
    _ item: (inout StrictJSON) throws(Fault) -> Item
  ) throws(Fault) -> [Item] {
    var items: [Item] = []
    try expect(Byte.openBracket)
    if take(Byte.closeBracket) { return items }
    repeat { items.append(try item(&self)) } while take(UInt8(ascii: ","))
    try expect(Byte.closeBracket)
    return items
  }

  mutating func int<Number: FixedWidthInteger>() throws(Fault) -> Number {
    let start = try word()
    guard let number = Number(String(decoding: bytes[start..<at], as: UTF8.self)) else {
      throw Fault()
    }
    return number
  }

  mutating func double() throws(Fault) -> Double {
    if peek() == Byte.quote {
      switch try text() {
      case "inf": return .infinity
      case "-inf": return -.infinity
      case "nan": return .nan
      default: throw Fault()
      }
    }
    let start = try word()
    guard let number = Double(String(decoding: bytes[start..<at], as: UTF8.self)) else {
      throw Fault()
    }
    return number
  }

  mutating func bool() throws(Fault) -> Bool {
    let start = try word()
    switch bytes[start] {
    case UInt8(ascii: "t") where at - start == 4: return true
    case UInt8(ascii: "f") where at - start == 5: return false
    default: throw Fault()
    }
  }

  /// Reads a value; nil if it is null.
  mutating func optional<Value>(
    _ value: (inout StrictJSON) throws(Fault) -> Value
  ) throws(Fault) -> Value? {
    guard peek() == UInt8(ascii: "n") else { return try value(&self) }
    _ = try word()
    return nil
  }

  mutating func text() throws(Fault) -> String {
    try expect(Byte.quote)
    let start = at
    while at < bytes.count, bytes[at] != Byte.quote, bytes[at] != UInt8(ascii: "\\") { at += 1 }
    guard at < bytes.count else { throw Fault() }
    if bytes[at] == Byte.quote {
      defer { at += 1 }
      return String(decoding: bytes[start..<at], as: UTF8.self)
    }
    return try escaped(from: start)
  }

  /// Skips one value of any type.
  mutating func skip(depth: Int = 0) throws(Fault) {
    guard depth < Self.maxDepth else { throw Fault() }
    switch peek() {
    case Byte.quote: _ = try text()
    case UInt8(ascii: "{"): try object { json, _ throws(Fault) in try json.skip(depth: depth + 1) }
    case Byte.openBracket:
      _ = try array { json throws(Fault) in try json.skip(depth: depth + 1) }
    default: _ = try word()
    }
  }

  /// Continues at `end`, the place where a copy of this reader has stopped.
  mutating func go(to end: Int) { at = end }

  // MARK: Private

  /// Skips white space and returns the next byte.
  private mutating func peek() -> UInt8? {
    while at < bytes.count, Byte.isSpace(bytes[at]) { at += 1 }
    return at < bytes.count ? bytes[at] : nil
  }

  mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    at += 1
    return true
  }

  mutating func expect(_ byte: UInt8) throws(Fault) {
    guard take(byte) else { throw Fault() }
  }

  /// Reads a number, or a name such as `true`. Returns the place where it begins.
  private mutating func word() throws(Fault) -> Int {
    guard peek() != nil else { throw Fault() }
    let start = at
    while at < bytes.count, Self.isWord(bytes[at]) { at += 1 }
    guard at > start else { throw Fault() }
    return start
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    Byte.isLetterOrDigit(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
  }

  private mutating func escaped(from start: Int) throws(Fault) -> String {
    var text = Array(bytes[start..<at])
    while at < bytes.count, bytes[at] != Byte.quote {
      guard bytes[at] == UInt8(ascii: "\\") else {
        text.append(bytes[at])
        at += 1
        continue
      }
      at += 2
      guard at <= bytes.count else { throw Fault() }
      switch bytes[at - 1] {
      case Byte.quote, Byte.slash, UInt8(ascii: "\\"): text.append(bytes[at - 1])
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0C)
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "r"): text.append(0x0D)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "u"): text += Array(String(try scalar()).utf8)
      default: throw Fault()
      }
    }
    guard take(Byte.quote) else { throw Fault() }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads the digits behind "\u", and the second half of a surrogate pair (RFC 8259 §7).
  private mutating func scalar() throws(Fault) -> Unicode.Scalar {
    let first = try unit()
    guard UTF16.isLeadSurrogate(first) else {
      guard let scalar = Unicode.Scalar(first) else { throw Fault() }
      return scalar
    }
    guard bytes[at...].starts(with: "\\u".utf8) else { throw Fault() }
    at += 2
    let second = try unit()
    let offset = (UInt32(first) - 0xD800) << 10 | (UInt32(second) &- 0xDC00)
    guard UTF16.isTrailSurrogate(second), let scalar = Unicode.Scalar(0x10000 + offset) else {
      throw Fault()
    }
    return scalar
  }

  private mutating func unit() throws(Fault) -> UInt16 {
    let digits = String(decoding: bytes[at...].prefix(4), as: UTF8.self)
    guard digits.utf8.count == 4, let unit = UInt16(digits, radix: 16) else { throw Fault() }
    at += 4
    return unit
  }
}
