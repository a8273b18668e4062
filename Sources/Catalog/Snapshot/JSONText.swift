/// Writes JSON of a known shape. The result is that of `JSONEncoder` with sorted keys and unescaped
/// slashes, at a fraction of the cost.
struct JSONText {
  private(set) var bytes: [UInt8] = []
  /// True as long as no comma is needed before the next value.
  private var isFirst = true
  /// For each member that was written into an open object, the place in `bytes` where it ends.
  private var ends: [Int] = []
  /// Memory for the members of an object while `end` sorts them.
  private var unordered: [UInt8] = []

  /// Begins an object whose members can be written in any order. Call `endMember` after each
  /// member.
  mutating func begin() -> Place {
    isFirst = true
    return Place(byte: bytes.count, member: ends.count)
  }

  /// The place where an object begins, in `bytes` and in `ends`.
  struct Place {
    fileprivate let byte: Int
    fileprivate let member: Int
  }

  mutating func endMember() {
    ends.append(bytes.count)
    isFirst = true
  }

  /// Ends an object. Sorts its members by `order`, and leaves out members for which nothing was
  /// written.
  mutating func end(from start: Place, in order: [Int]) {
    unordered.removeAll(keepingCapacity: true)
    unordered += bytes[start.byte...]
    bytes.removeLast(bytes.count - start.byte)
    bytes.append(UInt8(ascii: "{"))
    isFirst = true
    for place in order {
      let from = place == 0 ? start.byte : ends[start.member + place - 1]
      let end = ends[start.member + place]
      guard from < end else { continue }
      separate()
      bytes += unordered[from - start.byte..<end - start.byte]
    }
    ends.removeLast(ends.count - start.member)
    bytes.append(UInt8(ascii: "}"))
    isFirst = false
  }

  mutating func array<Item>(_ items: some Sequence<Item>, _ put: (inout JSONText, Item) -> Void) {
    nest(Byte.openBracket, Byte.closeBracket) { text in
      for item in items {
        text.separate()
        put(&text, item)
      }
    }
  }

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
