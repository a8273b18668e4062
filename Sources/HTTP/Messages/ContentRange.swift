import Blocks

/// The Content-Range field (RFC 9110 §14.4).
enum ContentRange: Hashable, Sendable {
  case bytes(ByteRange, length: Int)
  /// Of a 416: no byte was in reach.
  case unsatisfied(length: Int)

  /// Nil for anything that is not to be trusted: another unit, an unknown length ("*"), numbers
  /// that overflow, run backwards or reach beyond the length.
  init?(parsing text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let length = Decimal.parse(parts[1]) else { return nil }
    if parts[0] == "*" {
      self = .unsatisfied(length: length)
      return
    }
    let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, let first = Decimal.parse(bounds[0]),
      let last = Decimal.parse(bounds[1]), first <= last, last < length
    else { return nil }
    self = .bytes(first..<last + 1, length: length)
  }
}
