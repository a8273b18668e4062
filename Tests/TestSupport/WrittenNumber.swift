/// A number as documents write it: "1 s", "4 KiB", "10,000", "half", "four".
package struct WrittenNumber: Hashable, Sendable {
  package let number: Double
  package let unit: Unit?

  package init(number: Double, unit: Unit?) {
    self.number = number
    self.unit = unit
  }

  /// A unit that documents write behind a number.
  package enum Unit: String, CaseIterable, Sendable {
    case milliseconds = "ms"
    case seconds = "s"
    case minutes = "min"
    case hours = "h"
    case bytes
    case kibibytes = "KiB"
    case mebibytes = "MiB"
    case gibibytes = "GiB"
    case tebibytes = "TiB"
    case megabytes = "MB"

    /// The number of milliseconds or of bytes that it stands for.
    package var size: Double {
      switch self {
      case .milliseconds, .bytes: 1
      case .seconds: 1000
      case .minutes: 60_000
      case .hours: 3_600_000
      case .kibibytes: 1024
      case .mebibytes: 0x10_0000
      case .gibibytes: 0x4000_0000
      case .tebibytes: 0x100_0000_0000
      case .megabytes: 1_000_000
      }
    }
  }

  /// Numbers that documents may write as words. A time is written in digits.
  private static let words: [Substring: Double] = [
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "twelve": 12, "twenty": 20, "half": 0.5, "quarter": 0.25, "eighth": 0.125,
    "tenth": 0.1,
  ]

  /// Returns all numbers of `text` in its order. A word of digits and letters, such as "M3U", is
  /// none.
  package static func all(in text: some StringProtocol) -> [WrittenNumber] {
    let tokens = tokens(of: text)
    return tokens.indices.compactMap { index in
      let token = tokens[index]
      let number = words[token] ?? Double(token.filter { $0 != "," })
      let next = index + 1 < tokens.count ? String(tokens[index + 1]) : ""
      return number.map { WrittenNumber(number: $0, unit: Unit(rawValue: next)) }
    }
  }

  /// Splits `text` at everything that is neither a letter nor a digit; a dot or comma between two
  /// digits belongs to the number.
  private static func tokens(of text: some StringProtocol) -> [Substring] {
    let text = Array(text)
    let marks = text.indices.map { index in
      let isInNumber =
        (text[index] == "." || text[index] == ",") && index > 0 && index + 1 < text.count
        && text[index - 1].isNumber && text[index + 1].isNumber
      return text[index].isLetter || text[index].isNumber || isInNumber ? text[index] : " "
    }
    return String(marks).split(separator: " ")
  }
}
