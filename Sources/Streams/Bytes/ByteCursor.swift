/// Reads bytes and big-endian numbers one after the other.
///
/// Each read first checks that enough bytes are left, and throws `StreamError.truncated` if not.
package struct ByteCursor {
  /// The bytes that have not been read.
  package private(set) var rest: ArraySlice<UInt8>
  /// The name of the structure that is read, for errors.
  package let name: String

  package init(_ bytes: ArraySlice<UInt8>, of name: String) {
    rest = bytes
    self.name = name
  }

  package var isAtEnd: Bool { rest.isEmpty }

  /// Reads `count` bytes.
  package mutating func take(_ count: Int) throws(StreamError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= rest.count else { throw .truncated(name) }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  package mutating func skip(_ count: Int) throws(StreamError) {
    _ = try take(count)
  }

  /// Reads a big-endian number without sign, of as many bytes as `Number` has.
  package mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
    _: Number.Type = Number.self
  ) throws(StreamError) -> Number {
    var value: Number = 0
    for byte in try take(Number.bitWidth / 8) {
      value = (Number.bitWidth > 8 ? value << 8 : 0) | Number(byte)
    }
    return value
  }
}
