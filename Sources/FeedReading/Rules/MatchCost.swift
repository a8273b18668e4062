/// The cost of a match in steps, which do not depend on the computer.
///
/// Each item of the expression that the match tries is a step, and so are every two bytes that it looks at.
struct MatchCost {
  /// The steps that are left; less than zero if they were not enough.
  private(set) var left: Int
  /// The steps of an item. An expression with many groups has more to remember at each.
  private let each: Int
  /// The place in the text of the item before.
  private var place = 0

  /// - Parameter groups: the groups of the expression that remember what they match.
  init(steps: Int, groups: Int) {
    left = steps
    each = 1 + groups / 8
  }

  /// Counts an item that is tried at `place` of a text.
  ///
  /// - Parameters:
  ///   - ahead: the bytes of the text from there on.
  ///   - longest: the bytes of the longest group that has matched.
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

  /// The bytes that an item may look at before it fails, and that no later item would count.
  enum Reach: Hashable {
    /// Nothing but the next character.
    case next
    /// A back reference: as many as a group has matched.
    case group
    /// A parenthesis. It may begin a look back.
    case back
    /// A repeat with a least number.
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

    /// Returns the number behind the last brace: 3 of `a{3}`, `a{3,}+` and `a{3,5}?`; 0 if there is none.
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

    /// No text is longer.
    private static let maxLength = 1 << 20
  }
}
