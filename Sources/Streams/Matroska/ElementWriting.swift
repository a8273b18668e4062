extension [UInt8] {
  /// The bytes of an element's name.
  static func name(_ id: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: Int(id), width: 4 - id.leadingZeroBitCount / 8)
    return bytes
  }

  /// An element with the shortest size.
  static func element(_ id: UInt32, _ body: [UInt8]) -> [UInt8] {
    var bytes = name(id)
    bytes.append(size: body.count, width: sizeWidth(body.count))
    return bytes + body
  }

  /// An element that holds a number without sign, in as few bytes as it needs or in `width`.
  static func element(_ id: UInt32, number: Int, width: Int? = nil) -> [UInt8] {
    let needed = Swift.max(1, (71 - Swift.max(1, number).leadingZeroBitCount) / 8)
    var body: [UInt8] = []
    body.append(number: number, width: width ?? needed)
    return element(id, body)
  }

  static func element(_ id: UInt32, float: Double) -> [UInt8] {
    var body: [UInt8] = []
    body.append(number: Int(bitPattern: UInt(float.bitPattern)), width: 8)
    return element(id, body)
  }

  static func element(_ id: UInt32, text: String) -> [UInt8] {
    element(id, Array(text.utf8))
  }

  /// The name of an element and its size in eight bytes, so that the size may be known later.
  static func header(_ id: UInt32, size: Int) -> [UInt8] {
    var bytes = name(id)
    bytes.append(size: size, width: 8)
    return bytes
  }

  /// An element of `count` bytes in all, header included, that says nothing.
  static func void(_ count: Int) -> [UInt8] {
    guard count >= 2 else { return [] }
    return voidHeader(count) + [UInt8](repeating: 0, count: count - voidHeader(count).count)
  }

  /// The header of such an element: two bytes for a short one, else nine.
  static func voidHeader(_ count: Int) -> [UInt8] {
    var bytes = name(ElementID.void)
    if count < 9 {
      bytes.append(size: count - 2, width: 1)
    } else {
      bytes.append(size: count - 9, width: 8)
    }
    return bytes
  }

  /// Appends a size (RFC 8794 §4) of `width` bytes.
  mutating func append(size: Int, width: Int) {
    append(number: size | 1 << (7 * width), width: width)
  }

  /// The fewest bytes that a size needs. All bits set would mean that it is not known.
  static func sizeWidth(_ size: Int) -> Int {
    var width = 1
    while size >= 1 << (7 * width) - 1 { width += 1 }
    return width
  }
}
