/// A number of bytes that the user writes: "500M", "20G".
package struct ByteCount: Hashable, Codable, Sendable {
  package let bytes: Int

  package init(_ bytes: Int) {
    self.bytes = bytes
  }

  /// Parses "500M", "10G", "1T" or "0", in units of 1024; nil for other texts.
  package init?(parsing text: String) {
    let text = text.uppercased()
    let unit = text.last.flatMap { Self.units[$0] }
    guard let number = Int(unit == nil ? text[...] : text.dropLast()), number >= 0 else {
      return nil
    }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !overflow else { return nil }
    self.bytes = bytes
  }

  private static let units: [Character: Int] = [
    "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40,
  ]
}
