/// Formats figures for people.
package enum Quantity {
  /// Formats a number of bytes: "1.0 MiB".
  package static func bytes(_ bytes: Int) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    var value = Double(bytes)
    var unit = 0
    // A number that rounds to 1024.0 of one unit is shown as 1.0 of the next unit.
    while (value * 10).rounded() >= 10_240 && unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    let tenths = Int((value * 10).rounded())
    return unit == 0 ? "\(bytes) B" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }

  /// Formats a rate: "1.0 MiB/s".
  package static func rate(_ bytes: Int) -> String { "\(Self.bytes(bytes))/s" }

  /// Formats a position or duration of playing time: "3:20", "1:02:03".
  package static func time(_ seconds: Double) -> String {
    let all = Int(min(max(0, seconds), 1e9))
    let (hours, minutes, rest) = (all / 3600, all / 60 % 60, all % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
  }

  /// Formats a number: "10,000".
  package static func count(_ number: Int) -> String {
    let digits = String(number)
    let head = digits.count % 3
    var groups = head > 0 ? [String(digits.prefix(head))] : []
    var rest = digits.dropFirst(head)
    while !rest.isEmpty {
      groups.append(String(rest.prefix(3)))
      rest = rest.dropFirst(3)
    }
    return groups.joined(separator: ",")
  }

  /// Formats a number of things: "1 file", "10,000 files".
  package static func count(_ number: Int, _ one: String) -> String {
    number == 1 ? "1 \(one)" : "\(count(number)) \(one)s"
  }

  /// Formats a share: "12 %".
  package static func share(_ part: Int, of whole: Int) -> String {
    guard whole > 0 else { return "100 %" }
    // The share is rounded down, so that only the whole is 100 %.
    return "\(Int((Double(part) / Double(whole) * 100).rounded(.down))) %"
  }

  private static func two(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
