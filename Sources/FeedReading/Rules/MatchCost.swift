/// Counts the steps of a match with an `Expression`. Their number does not depend on the computer.
///
/// Each item of the expression that the match tries costs a step, or more if there are many groups.
/// Every two bytes of text that the match looks at cost one more step.
struct MatchCost {
  /// The steps that are left; less than zero if they were not enough.
  private(set) var left: Int
  /// The steps for one item. An expression with more groups costs more, because PCRE2 remembers all
  /// groups at each item.
  private let each: Int
  /// The place in the text at which the last item was tried.
  private var place = 0

  /// - Parameter groups: the number of capturing groups in the expression.
  init(steps: Int, groups: Int) {
    left = steps
    each = 1 + groups / 8
  }

  /// Counts an item that is tried at `place` of a text.
  ///
  /// - Parameters:
  ///   - reach: how many bytes the item can look at before it fails.
  ///   - ahead: the number of bytes from `place` to the end of the text.
  ///   - longest: the length in bytes of the longest text that a group has matched.
  mutating func tries(
    _ reach: Reach, at place: Int, of ahead: Int, longest: @autoclosure () -> Int
  ) {
    let looked =
      switch reach {
      case .next: 0
      case .group: longest()
      case .back: place / 8
      case .repeated(let times): min(times, ahead)
      }
    left -= each + (abs(place - self.place) + looked) / 2
    self.place = place
  }

  /// Tells how many bytes an item can look at before it fails. The places of the items do not show
  /// these bytes, because an item that fails does not move the place.
  enum Reach: Hashable {
    /// The next character alone.
    case next
    /// A back reference. It can look at as many bytes as the longest group has matched.
    case group
    /// An opening parenthesis. It can be the beginning of a lookbehind.
    case back
    /// An item that is repeated, with the least number of repetitions.
    case repeated(Int)

    /// - Parameter term: the bytes of an item of the expression.
    init(_ term: Span<UInt8>) {
      guard term.count > 1 else {
        self = .next
        return
      }
      switch (term[0], term[1]) {
      case (UInt8(ascii: "\\"), UInt8(ascii: "1")...UInt8(ascii: "9")),
        (UInt8(ascii: "\\"), UInt8(ascii: "g")), (UInt8(ascii: "\\"), UInt8(ascii: "k")):
        self = .group
      case (UInt8(ascii: "("), _):
        self = .back
      default:
        let times = Self.leastNumber(of: term)
        self = times == 0 ? .next : .repeated(times)
      }
    }

    /// Returns the first number in the braces at the end of an item: 3 for `a{3}`, `a{3,}+` and
    /// `a{3,5}?`; 0 if there are no braces.
    private static func leastNumber(of term: Span<UInt8>) -> Int {
      var end = term.count - 1
      if term[end] == UInt8(ascii: "+") || term[end] == UInt8(ascii: "?") { end -= 1 }
      guard term[end] == UInt8(ascii: "}") else { return 0 }
      var place = end
      while place > 0, term[place] != UInt8(ascii: "{") { place -= 1 }
      var number = 0
      while number < maxLength, case let digit = Int(term[place + 1]) - 48, 0...9 ~= digit {
        number = number * 10 + digit
        place += 1
      }
      return number
    }

    /// Digits are read until the number reaches this limit. No text has so many bytes.
    private static let maxLength = 1 << 20
  }
}
