/// How often a publisher says that there is something new: the syndication module of RSS, and feeds
/// that have come to their end.
package struct Pace: Hashable, Sendable {
  /// `itunes:complete`, `podcast:complete`, `podcast:updateFrequency complete="true"`.
  var isFinished = false
  /// `sy:updatePeriod`, in minutes; a day where only a frequency is given.
  private var period: Int?
  /// `sy:updateFrequency`: times in a period, once where only a period is given.
  private var frequency: Int?

  package init() {}

  /// Between two times when something new may be there; nil: it does not say.
  package var minutes: Int? {
    if isFinished { return Self.day }
    guard period != nil || frequency != nil else { return nil }
    return max(1, (period ?? Self.day) / (frequency ?? 1))
  }

  mutating func take(period text: String) {
    period = Self.periods[text.lowercased()]
  }

  mutating func take(frequency text: String) {
    frequency = FeedNumber.positive(text)
  }

  private static let day = 24 * 60
  private static let periods = [
    "hourly": 60, "daily": day, "weekly": 7 * day, "monthly": 30 * day, "yearly": 365 * day,
  ]
}
