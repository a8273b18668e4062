import Markup
import Quantities

/// A length of time in a rule: "90s", "2m", "1h30m".
package struct RuleTime: Hashable, Codable, Sendable {
  /// The text as it was written.
  package let text: String
  package let seconds: Double
}

extension RuleTime: WrittenValue {
  package static var form: String { TimeSpan.form }

  package init?(parsing text: String) {
    guard let time = TimeSpan(parsing: text.trimmed) else { return nil }
    self.init(text: text, seconds: time.seconds)
  }
}

/// The earliest date of a listed entry: a day ("2026-01-31"), or an age ("90d").
package struct RuleStart: Hashable, Codable, Sendable {
  /// The text as it was written.
  package let text: String
  private let day: Int?
  private let age: Int?

  /// Returns the date in seconds since 1970. An age is subtracted from `now`.
  func moment(at now: Int) -> Int {
    age.map { now - $0 } ?? day ?? .min
  }
}

extension RuleStart: WrittenValue {
  package static let form = "as a day (2026-01-31), or as an age with its unit (36h, 90d, 4w)"

  /// Parses a day, which begins at midnight in UTC, or an age above zero that has a unit.
  package init?(parsing text: String) {
    self.text = text
    let word = text.trimmed
    let time = TimeSpan(parsing: word).flatMap { $0.isBare || $0.seconds <= 0 ? nil : $0 }
    age = time.map { Int($0.seconds) }
    day = word.utf8.count == 10 && word.contains("-") ? FeedDate.moment(word)?.seconds : nil
    guard age != nil || day != nil else { return nil }
  }
}
