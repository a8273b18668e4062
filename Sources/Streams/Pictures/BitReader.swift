/// Reads the bits of a parameter set or slice, without the bytes that prevent false start codes
/// (H.264 §7.4.1).
struct BitReader {
  private let bytes: [UInt8]
  private var place = 0

  /// - Parameter escaped: the bytes of a NAL unit.
  init(unescaping escaped: some Sequence<UInt8>) {
    var bytes: [UInt8] = []
    var zeros = 0
    for byte in escaped {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
    self.bytes = bytes
  }

  /// Reads a number of at most 32 bits.
  mutating func bits(_ count: Int) throws(StreamError) -> Int {
    guard count <= 32, count <= bytes.count * 8 - place else { throw .truncated("parameter set") }
    var number = 0
    for _ in 0..<count {
      number = number << 1 | Int(bytes[place >> 3] >> UInt8(7 - place & 7) & 1)
      place += 1
    }
    return number
  }

  mutating func flag() throws(StreamError) -> Bool { try bits(1) == 1 }

  mutating func skip(_ count: Int) throws(StreamError) {
    guard count <= bytes.count * 8 - place else { throw .truncated("parameter set") }
    place += count
  }

  /// Reads a number without sign in Exp-Golomb code (H.264 §9.1).
  mutating func unsigned() throws(StreamError) -> Int {
    var zeros = 0
    while try !flag() {
      zeros += 1
      guard zeros <= 31 else { throw .malformed("parameter set") }
    }
    return try (1 << zeros) - 1 + bits(zeros)
  }

  mutating func signed() throws(StreamError) -> Int {
    let number = try unsigned()
    return number & 1 == 1 ? (number + 1) / 2 : -(number / 2)
  }
}
