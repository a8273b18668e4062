extension [UInt8] {
  /// Returns the bytes of an element's ID.
  static func name(_ id: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: Int(id), width: 4 - id.leadingZeroBitCount / 8)
    return bytes
  }

  /// Returns an element. The field for its size takes as few bytes as possible.
  static func element(_ id: UInt32, _ body: [UInt8]) -> [UInt8] {
    var bytes = name(id)
    bytes.append(size: body.count, width: sizeWidth(body.count))
    return bytes + body
  }

  /// Returns an element that contains a number without sign, in `width` bytes or as few as
  /// possible.
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

  /// Returns the header of an element. The field for its size takes eight bytes, so the length of
  /// the header does not depend on the size.
  static func header(_ id: UInt32, size: Int) -> [UInt8] {
    var bytes = name(id)
    bytes.append(size: size, width: 8)
    return bytes
  }

  /// Returns a Void element of `count` bytes, header included; nothing if `count` is below 2.
  static func void(_ count: Int) -> [UInt8] {
    guard count >= 2 else { return [] }
    return voidHeader(count) + [UInt8](repeating: 0, count: count - voidHeader(count).count)
  }

  /// Returns the header of a Void element of `count` bytes: two bytes if `count` is below 9, else
  /// nine bytes.
  static func voidHeader(_ count: Int) -> [UInt8] {
    var bytes = name(ElementID.void)
    if count < 9 {
      bytes.append(size: count - 2, width: 1)
    } else {
      bytes.append(size: count - 9, width: 8)
    }
    return bytes
  }

  /// Appends the size of an element (RFC 8794 §4), written in `width` bytes.
  mutating func append(size: Int, width: Int) {
    append(number: size | 1 << (7 * width), width: width)
  }

  /// Returns how many bytes a size needs. Values with all bits set are not used: they mean that the
  /// size is unknown.
  static func sizeWidth(_ size: Int) -> Int {
    var width = 1
    while size >= 1 << (7 * width) - 1 { width += 1 }
    return width
  }
}
