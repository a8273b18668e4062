/// The beginning of an EBML element (RFC 8794 §6): its ID and its size.
package struct ElementHeader: Equatable {
  /// The ID, with the bits that mark its length.
  package let id: UInt32
  package let headerSize: Int
  /// The size of the content in bytes; nil if it is unknown.
  package let size: Int?

  /// The size of the longest header, in bytes.
  package static let maxBytes = 12

  package init(_ bytes: ArraySlice<UInt8>) throws(StreamError) {
    var cursor = ByteCursor(bytes, of: "element")
    let first: UInt8 = try cursor.number()
    let width = first.leadingZeroBitCount + 1
    guard width <= 4 else { throw .malformed("element") }
    id = try cursor.take(width - 1).reduce(UInt32(first)) { $0 << 8 | UInt32($1) }
    let start: UInt8 = try cursor.number()
    let length = start.leadingZeroBitCount + 1
    guard length <= 8 else { throw .malformed("element") }
    let mask: UInt64 = 1 << UInt64(7 * length) - 1
    let value = try cursor.take(length - 1).reduce(UInt64(start)) { $0 << 8 | UInt64($1) } & mask
    // If all bits are set, the size is unknown. Any other size has at most 56 bits, so it fits into
    // an `Int`.
    size = value == mask ? nil : Int(value)
    headerSize = width + length
  }
}

/// One element and its content.
package struct Element {
  package let id: UInt32
  package let body: ArraySlice<UInt8>
  /// The depth of the element: 1 for a child of the Segment.
  let level: Int

  /// The elements that this element contains.
  package var children: [Element] {
    get throws(StreamError) {
      guard level < StreamLimit.depth.value else { throw .tooLarge(StreamLimit.depth.rawValue) }
      var children: [Element] = []
      var rest = body
      while !rest.isEmpty {
        let header = try ElementHeader(rest)
        let size = header.size ?? rest.count - header.headerSize
        guard size <= rest.count - header.headerSize else { throw .truncated("element") }
        // The Cues have the most children: one for each cluster.
        try StreamLimit.segments.check(children.count + 1)
        children.append(
          Element(
            id: header.id, body: rest.dropFirst(header.headerSize).prefix(size), level: level + 1))
        rest = rest.dropFirst(header.headerSize + size)
      }
      return children
    }
  }

  package func first(_ id: UInt32) throws(StreamError) -> Element? {
    try children.first { $0.id == id }
  }

  /// The content as a number without sign.
  package var number: Int {
    get throws(StreamError) {
      guard body.count <= 8 else { throw .malformed("number") }
      let value = body.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard let number = Int(exactly: value) else { throw .tooLarge("number") }
      return number
    }
  }

  /// The content as a floating-point number.
  package var float: Double {
    get throws(StreamError) {
      let bits = body.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      switch body.count {
      case 0: return 0
      case 4: return Double(Float(bitPattern: UInt32(bits)))
      case 8: return Double(bitPattern: bits)
      default: throw .malformed("number")
      }
    }
  }

  /// The content as text, up to the first zero byte.
  package var text: String {
    String(decoding: body.prefix { $0 != 0 }, as: UTF8.self)
  }
}
