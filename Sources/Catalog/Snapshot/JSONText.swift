/// Writes JSON of a known shape. The result is that of `JSONEncoder` with sorted keys and unescaped
/// slashes, at a fraction of the cost.
struct JSONText {
  private(set) var bytes: [UInt8] = []
  /// True before the first value in the innermost object or array.
  private var isFirst = true

  mutating func object(_ members: (inout JSONText) -> Void) {
    nest(UInt8(ascii: "{"), UInt8(ascii: "}"), members)
  }

  mutating func array<Item>(_ items: some Sequence<Item>, _ put: (inout JSONText, Item) -> Void) {
    nest(Byte.openBracket, Byte.closeBracket) { text in
      for item in items {
        text.separate()
        put(&text, item)
      }
    }
  }

  /// Writes a member. The caller gives the keys in order.
  mutating func member(_ key: String, _ value: (inout JSONText) -> Void) {
    separate()
    bytes.append(Byte.quote)
    bytes += key.utf8
    bytes.append(Byte.quote)
    bytes.append(Byte.colon)
    value(&self)
  }

  mutating func member(_ key: String, _ value: String?) {
    if let value { member(key) { $0.put(value) } }
  }

  mutating func member(_ key: String, _ value: Int?) {
    if let value { member(key) { $0.put(value) } }
  }

  mutating func member(_ key: String, _ value: Double?) {
    if let value { member(key) { $0.put(value) } }
  }

  mutating func member(_ key: String, _ value: Bool) {
    member(key) { $0.bytes += value ? Self.yes : Self.no }
  }

  mutating func put(_ number: some BinaryInteger) {
    bytes += String(number).utf8
  }

  mutating func put(_ number: Double) {
    guard number.isFinite else { return put(number.isNaN ? "nan" : number < 0 ? "-inf" : "inf") }
    let text = "\(number)"
    bytes += (text.hasSuffix(".0") ? text.dropLast(2) : text[...]).utf8
  }

  mutating func put(_ text: String) {
    bytes.append(Byte.quote)
    if text.utf8.contains(where: Self.isEscaped) {
      for byte in text.utf8 {
        if Self.isEscaped(byte) {
          bytes.append(Self.backslash)
          bytes += Self.escape(byte)
        } else {
          bytes.append(byte)
        }
      }
    } else {
      bytes += text.utf8
    }
    bytes.append(Byte.quote)
  }

  // MARK: Private

  private static let backslash = UInt8(ascii: "\\")
  private static let yes = Array("true".utf8)
  private static let no = Array("false".utf8)

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == Byte.quote || byte == backslash
  }

  private static func escape(_ byte: UInt8) -> [UInt8] {
    switch byte {
    case Byte.quote, backslash: return [byte]
    case 0x08: return [UInt8(ascii: "b")]
    case 0x09: return [UInt8(ascii: "t")]
    case 0x0A: return [UInt8(ascii: "n")]
    case 0x0C: return [UInt8(ascii: "f")]
    case 0x0D: return [UInt8(ascii: "r")]
    default:
      let digits = String(byte, radix: 16)
      return Array("u00\(byte < 16 ? "0" : "")\(digits)".utf8)
    }
  }

  private mutating func nest(_ open: UInt8, _ close: UInt8, _ body: (inout JSONText) -> Void) {
    bytes.append(open)
    isFirst = true
    body(&self)
    bytes.append(close)
    isFirst = false
  }

  private mutating func separate() {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
  }
}
