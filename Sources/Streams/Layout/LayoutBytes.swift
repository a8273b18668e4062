/// Writes the values of a layout, one after the other.
struct LayoutWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ number: Int) {
    bytes.append(number: number, width: 8)
  }

  mutating func write(_ flag: Bool) {
    bytes.append(flag ? 1 : 0)
  }

  mutating func write(_ content: [UInt8]) {
    write(content.count)
    bytes += content
  }

  /// Writes the number of bytes that were hashed, and their hash. For nil, only the number 0 is
  /// written.
  mutating func write(_ beginning: SegmentBeginning?) {
    write(beginning?.count ?? 0)
    if let beginning { write(Int(Int64(bitPattern: beginning.hash))) }
  }

  mutating func write(_ text: String) {
    write(Array(text.utf8))
  }
}

/// Reads the values that `LayoutWriter` has written.
struct LayoutReader {
  private var cursor: ByteCursor

  init(_ bytes: ArraySlice<UInt8>) {
    cursor = ByteCursor(bytes, of: "layout")
  }

  var isAtEnd: Bool { cursor.isAtEnd }

  mutating func number() throws(StreamError) -> Int {
    Int(Int64(bitPattern: try cursor.number()))
  }

  mutating func count(_ limit: StreamLimit) throws(StreamError) -> Int {
    let count = try number()
    try limit.check(count)
    return count
  }

  mutating func flag() throws(StreamError) -> Bool {
    let byte: UInt8 = try cursor.number()
    guard byte <= 1 else { throw .malformed("layout") }
    return byte == 1
  }

  mutating func content() throws(StreamError) -> [UInt8] {
    Array(try cursor.take(try number()))
  }

  mutating func beginning() throws(StreamError) -> SegmentBeginning? {
    let count = try number()
    if count == 0 { return nil }
    return try SegmentBeginning(
      count: count, hash: UInt64(bitPattern: Int64(try number())))
  }

  mutating func text() throws(StreamError) -> String {
    String(decoding: try content(), as: UTF8.self)
  }
}
