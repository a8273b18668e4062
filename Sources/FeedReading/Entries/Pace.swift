import Markup

/// A publisher's update interval. It comes from the syndication module of RSS, and from the marks
/// of feeds that have ended.
package struct Pace: Hashable, Sendable {
  /// Whether the feed has ended: `itunes:complete`, `podcast:complete`, or `podcast:updateFrequency
  /// complete="true"`.
  var isFinished = false
  /// `sy:updatePeriod` in minutes. It counts as a day if only a frequency is given.
  private var period: Int?
  /// `sy:updateFrequency`, the updates in a period. It counts as one if only a period is given.
  private var frequency: Int?

  /// The minutes between two updates; nil if the publisher gives none. A feed that has ended has a
  /// day.
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
