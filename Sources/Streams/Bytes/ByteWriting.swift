extension [UInt8] {
  /// Appends the lowest `width` bytes of a number, the most significant byte first.
  package mutating func append(number: Int, width: Int) {
    for shift in stride(from: width - 1, through: 0, by: -1) {
      append(shift < 8 ? UInt8(truncatingIfNeeded: number >> (8 * shift)) : 0)
    }
  }
}
