package import Storage

extension FreeSpaceRule: WrittenValue {
  package static let form = "as a share of the disk (5%) or as bytes (500M, 10G)"

  /// Parses "5%" or bytes: "500M", "10G", "1T", "0".
  package init?(parsing text: String) {
    if text.hasSuffix("%"), let percent = Double(text.dropLast()), 0...100 ~= percent {
      self = .percent(percent)
    } else if let count = ByteCount(parsing: text) {
      self = .bytes(count.bytes)
    } else {
      return nil
    }
  }
}

extension FreeSpaceRule {
  /// The rule as the user would write it: "5%", "10G".
  var text: String {
    switch self {
    case .percent(let percent):
      return percent == percent.rounded() ? "\(Int(percent))%" : "\(percent)%"
    case .bytes(let bytes):
      let units = [(1 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")]
      guard bytes > 0, let (size, letter) = units.first(where: { bytes % $0.0 == 0 }) else {
        return "\(bytes)"
      }
      return "\(bytes / size)\(letter)"
    }
  }
}
