/// An amount of disk space, as the user writes it: in bytes, "10G", or as a share of the disk,
/// "5%".
package enum Space: Hashable, Codable, Sendable {
  case bytes(ByteCount)
  /// A share of the whole file system in percent, 0 … 100.
  case percent(Double)

  /// Returns the amount in bytes.
  ///
  /// - Parameter total: returns the size of the disk in bytes. Called only if the amount is a share
  ///   of the disk.
  package func bytes(ofDisk total: () -> Int) -> Int {
    switch self {
    case .bytes(let count): count.bytes
    case .percent(let percent): Int(Double(total()) * (percent / 100))
    }
  }
}

extension Space: WrittenValue {
  package static let form = "as bytes (500M, 1.5G, 20GB), or as a share of the disk (5%)"

  /// Parses "5%", "2.5 %", or a number of bytes.
  package init?(parsing text: String) {
    if let number = WrittenNumber(text), number.unit == "%" {
      guard number.value <= 100 else { return nil }
      self = .percent(number.value)
    } else if let count = ByteCount(parsing: text) {
      self = .bytes(count)
    } else {
      return nil
    }
  }

  /// The space as the user would write it: "5%", "10G".
  package var text: String {
    switch self {
    case .bytes(let count): count.text
    case .percent(let percent):
      percent == percent.rounded() ? "\(Int(percent))%" : "\(percent)%"
    }
  }
}
