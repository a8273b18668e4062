/// A size as a listing shows it: "973", "7 B", "12K", "190.2M", "68 KiB".
///
/// Servers round a size with a unit up, down, or to the nearest number. So the text stands for a
/// range of sizes.
struct WrittenSize: Hashable {
  /// The sizes in bytes that the text can stand for.
  let range: ClosedRange<Int>
  /// True if the text gives the exact size, in bytes.
  var isExact: Bool { range.count == 1 }

  private static let thousands = ["kb": 1_000.0, "mb": 1e6, "gb": 1e9, "tb": 1e12]
  private static let units = [
    "k": 1_024.0, "m": 1_048_576, "g": 1_073_741_824, "t": 1_099_511_627_776,
  ]
  private static let maxBytes = 4e12 * 1.1

  /// Parses the size at the beginning of `words`; nil if there is none.
  init?(_ words: some Collection<String>) {
    guard let first = words.first else { return nil }
    let number = first.prefix { $0.isASCII && $0.isNumber || $0 == "." || $0 == "," }
    let attached = first.dropFirst(number.count).lowercased()
    let unit = attached.isEmpty ? words.dropFirst().first?.lowercased() ?? "" : attached
    let digits = number.replacing(",", with: ".")
    guard let value = Double(digits), value >= 0, first.first?.isNumber ?? false else { return nil }
    if let least = Self.thousands[unit] ?? Self.units[String(unit.prefix(1))],
      Self.thousands[unit] != nil || ["", "ib"].contains(unit.dropFirst())
    {
      let places = digits.split(separator: ".").dropFirst().first?.count ?? 0
      let step = (0..<places).reduce(1.0) { step, _ in step / 10 }
      let most = Self.units[String(unit.prefix(1))] ?? least
      guard (value + step) * most <= Self.maxBytes else { return nil }
      let low = Int(max(0, value - step / 2) * least)
      range = low...max(low + 1, Int((value + step) * most))
    } else {
      guard attached.isEmpty || ["b", "byte", "bytes"].contains(attached),
        let bytes = Int(number)
      else { return nil }
      range = bytes...bytes
    }
  }
}
