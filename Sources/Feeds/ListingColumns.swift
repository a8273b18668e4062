/// What stands beside a name in a directory listing of a server.
struct ListingColumns: Hashable {
  /// As `FeedDate` reads it.
  private(set) var modified: String?
  /// Bytes; a size with a unit is rounded, and none.
  private(set) var size: Int?

  private static let units: Set<String> = [
    "k", "m", "g", "t", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib",
  ]

  /// "01-May-2026 10:00   12345" or "2026-05-01 10:00  12K".
  init(_ text: String) {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    guard let place = words.firstIndex(where: Self.isDay) else { return }
    let time = words.dropFirst(place + 1).first.flatMap { $0.contains(":") ? $0 : nil }
    let parts = words[place].split(separator: "-")
    // "01-May-2026": as RFC 822 has it, with spaces.
    let isNamed = parts.count == 3 && parts[0].count < 4 && parts[1].allSatisfy(\.isLetter)
    let day = isNamed ? parts.joined(separator: " ") : words[place]
    modified = [day, time].compactMap(\.self).joined(separator: " ")
    let rest = words.dropFirst(place + (time == nil ? 1 : 2))
    let isRounded = rest.dropFirst().first.map { Self.units.contains($0.lowercased()) } ?? false
    size = isRounded ? nil : rest.first.flatMap { Int($0) }
  }

  private static func isDay(_ word: String) -> Bool {
    word.contains("-") && word.contains(where: \.isNumber) && word.count >= 8
  }
}
