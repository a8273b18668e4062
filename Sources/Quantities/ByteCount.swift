/// A number of bytes, as the user writes it: "500M", "1.5G", "20GB".
package struct ByteCount: Hashable, Codable, Sendable {
  package let bytes: Int

  package init(_ bytes: Int) {
    self.bytes = bytes
  }
}

extension ByteCount: WrittenValue {
  package static let form = "as bytes (500M, 1.5G, 20GB)"

  /// Parses a number, with or without a unit. The units "K", "KiB", "M" … are powers of 1024, and
  /// "KB", "MB" … are powers of 1000, as in du(1) and dd(1). Case does not matter.
  package init?(parsing text: String) {
    guard let number = WrittenNumber(text), let unit = Self.factor(of: number.unit),
      let bytes = number.times(unit)
    else { return nil }
    self.init(bytes)
  }

  /// Returns the number of bytes in a unit; nil if the text is no unit.
  private static func factor(of unit: String) -> Int? {
    if ["", "b"].contains(unit) { return 1 }
    guard let letter = unit.first, let power = ["k", "m", "g", "t", "p"].firstIndex(of: letter)
    else { return nil }
    switch unit.dropFirst() {
    case "", "i", "ib": return 1 << (10 * (power + 1))
    case "b": return (0...power).reduce(1) { factor, _ in factor * 1000 }
    default: return nil
    }
  }

  /// The exact number of bytes as the user would write it: "10G", "1536M".
  var text: String {
    let units = [(1 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")]
    guard bytes > 0, let (size, letter) = units.first(where: { bytes % $0.0 == 0 }) else {
      return "\(bytes)"
    }
    return "\(bytes / size)\(letter)"
  }
}
