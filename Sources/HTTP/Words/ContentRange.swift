import Blocks

/// The Content-Range field (RFC 9110 §14.4).
enum ContentRange: Hashable, Sendable {
  case bytes(ByteRange, length: Int)
  /// The bytes of a part. The field does not state the length of the whole.
  case open(ByteRange)
  /// The value in an answer with status 416: the whole, which has this length, has no byte in the
  /// requested range.
  case unsatisfied(length: Int)

  /// Returns nil for a value that cannot be trusted: it has another unit, or its numbers overflow,
  /// run backwards or reach beyond the length.
  ///
  /// Some servers write "bytes=" or "bytes:", leave the unit out, or put blanks around the signs.
  /// This parser accepts all of these, as curl does.
  init?(parsing text: String) {
    let front = text.prefix { !"0123456789*".contains($0) }
    var unit = front.trimmed.lowercased()
    if unit.hasSuffix("=") || unit.hasSuffix(":") { unit = unit.dropLast().trimmed }
    guard unit == "bytes" || unit.isEmpty else { return nil }
    let parts = text[front.endIndex...].split(separator: "/", omittingEmptySubsequences: false)
      .map(\.trimmed)
    guard parts.count == 2 else { return nil }
    if parts[0] == "*" {
      guard let length = Decimal.parse(parts[1]) else { return nil }
      self = .unsatisfied(length: length)
      return
    }
    let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(\.trimmed)
    guard bounds.count == 2, let first = Decimal.parse(bounds[0]),
      let last = Decimal.parse(bounds[1]), first <= last, last < Int.max
    else { return nil }
    if parts[1] == "*" {
      self = .open(first..<last + 1)
      return
    }
    guard let length = Decimal.parse(parts[1]), last < length else { return nil }
    self = .bytes(first..<last + 1, length: length)
  }
}
