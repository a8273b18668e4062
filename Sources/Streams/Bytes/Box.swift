/// The type of a box: four letters.
package struct BoxType: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  package let value: UInt32

  package init(_ value: UInt32) {
    self.value = value
  }

  package init(stringLiteral text: String) {
    value = text.utf8.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The four letters. A byte that is no printable ASCII becomes "?".
  package var description: String {
    String(
      decoding: [24, 16, 8, 0].map { shift in
        let byte = UInt8(truncatingIfNeeded: value >> UInt32(shift))
        return (0x20...0x7e).contains(byte) ? byte : UInt8(ascii: "?")
      }, as: UTF8.self)
  }
}

/// The beginning of a box (ISO/IEC 14496-12 §4.2): its type and its size.
package struct BoxHeader: Equatable {
  package let type: BoxType
  /// The size of the header in bytes.
  package let headerSize: Int
  /// The size of the whole box in bytes.
  package let size: Int

  /// The size of the longest header, in bytes.
  package static let maxBytes = 16

  /// - Parameters:
  ///   - bytes: the beginning of the box.
  ///   - left: the number of bytes from the beginning of the box to the end of its container. A box
  ///     whose size is written as 0 ends there.
  package init(_ bytes: ArraySlice<UInt8>, left: Int) throws(StreamError) {
    var cursor = ByteCursor(bytes, of: "box")
    let short = try cursor.number(UInt32.self)
    type = BoxType(try cursor.number())
    switch short {
    case 0:
      headerSize = 8
      size = left
    case 1:
      headerSize = 16
      let long = try cursor.number(UInt64.self)
      guard let whole = Int(exactly: long) else { throw .malformed("box \(type)") }
      size = whole
    default:
      headerSize = 8
      size = Int(short)
    }
    guard size >= headerSize else { throw .malformed("box \(type)") }
  }
}

/// One box and its content.
package struct Box {
  package let type: BoxType
  package let body: ArraySlice<UInt8>

  /// Returns the boxes that follow each other in `bytes`.
  package static func all(in bytes: ArraySlice<UInt8>) throws(StreamError) -> [Box] {
    var boxes: [Box] = []
    var rest = bytes
    while !rest.isEmpty {
      // QuickTime ends some lists with four zero bytes.
      if rest.count < 8, rest.allSatisfy({ $0 == 0 }) { break }
      let header = try BoxHeader(rest, left: rest.count)
      guard header.size <= rest.count else { throw .truncated("box \(header.type)") }
      try StreamLimit.boxes.check(boxes.count + 1)
      boxes.append(
        Box(type: header.type, body: rest.prefix(header.size).dropFirst(header.headerSize)))
      rest = rest.dropFirst(header.size)
    }
    return boxes
  }

  /// The boxes that this box contains.
  package var children: [Box] {
    get throws(StreamError) { try Self.all(in: body) }
  }

  /// Returns the box at the end of a path of types that begins in this box, or nil. If several
  /// children have the same type, the first child is used.
  package func first(_ path: BoxType...) throws(StreamError) -> Box? {
    var box = self
    for type in path {
      guard let next = try box.children.first(where: { $0.type == type }) else { return nil }
      box = next
    }
    return box
  }

  /// Reads the version and the flags at the beginning of a full box. The returned cursor begins
  /// after them.
  package func full() throws(StreamError) -> (version: Int, flags: Int, cursor: ByteCursor) {
    var cursor = ByteCursor(body, of: "box \(type)")
    let word: UInt32 = try cursor.number()
    return (Int(word >> 24), Int(word & 0xFF_FFFF), cursor)
  }
}

extension ByteCursor {
  /// Reads a number without sign: of 64 bits in version 1 of a box, else of 32 bits.
  package mutating func number(version: Int) throws(StreamError) -> Int {
    guard version == 1 else { return Int(try number(UInt32.self)) }
    guard let value = Int(exactly: try number(UInt64.self)) else { throw .tooLarge(name) }
    return value
  }

  /// Reads a number with sign: of 64 bits in version 1 of a box, else of 32 bits.
  package mutating func signed(version: Int) throws(StreamError) -> Int {
    version == 1
      ? Int(Int64(bitPattern: try number())) : Int(Int32(bitPattern: try number()))
  }

  /// Reads a number of 32 bits.
  package mutating func word() throws(StreamError) -> Int {
    Int(try number(UInt32.self))
  }
}
