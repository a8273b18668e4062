/// How often a publisher says that there is something new: the syndication module of RSS, and feeds
/// that have come to their end.
package struct Pace: Hashable, Sendable {
  /// `itunes:complete`, `podcast:complete`, `podcast:updateFrequency complete="true"`.
  var isFinished = false
  /// `sy:updatePeriod`, in minutes.
  private var period: Int?
  /// `sy:updateFrequency`: times in a period.
  private var frequency = 1

  package init() {}

  /// Between two times when something new may be there; nil: it does not say.
  package var minutes: Int? {
    isFinished ? Self.day : period.map { max(1, $0 / frequency) }
  }

  mutating func take(period text: String) {
    period = Self.periods[text.lowercased()]
  }

  mutating func take(frequency text: String) {
    frequency = FeedNumber.positive(text) ?? 1
  }

  private static let day = 24 * 60
  private static let periods = [
    "hourly": 60, "daily": day, "weekly": 7 * day, "monthly": 30 * day, "yearly": 365 * day,
  ]
}
