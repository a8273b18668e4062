/// The range in a `Range` header with a single range.
enum RequestedRange: Equatable {
  case from(Int, through: Int?)
  case last(Int)

  /// Parses a header; nil if a server ignores it: other units, several ranges, no numbers. RFC 9110
  /// §14.2
  init?(_ header: String) {
    guard header.hasPrefix("bytes=") else { return nil }
    let sides = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard sides.count == 2, sides.allSatisfy({ $0.utf8.allSatisfy { 48...57 ~= $0 } }) else {
      return nil
    }
    switch (Int(sides[0]), Int(sides[1])) {
    case (let first?, let last?) where first <= last: self = .from(first, through: last)
    case (let first?, nil) where sides[1].isEmpty: self = .from(first, through: nil)
    case (nil, let count?) where sides[0].isEmpty: self = .last(count)
    default: return nil
    }
  }

  /// Returns the requested bytes of a representation of `length`; nil if there are none (416).
  func bytes(of length: Int) -> Range<Int>? {
    switch self {
    case .from(let first, let last):
      guard first < length else { return nil }
      return first..<(min(last ?? length - 1, length - 1) + 1)
    case .last(let count):
      guard count > 0, length > 0 else { return nil }
      return max(0, length - count)..<length
    }
  }
}
