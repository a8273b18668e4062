import Markup

/// How often a publisher updates a feed, from the syndication module of RSS, and from elements that
/// say that the feed has ended.
package struct Pace: Hashable, Sendable {
  /// Whether the feed has ended: `itunes:complete`, `podcast:complete`, or `podcast:updateFrequency
  /// complete="true"`.
  var isFinished = false
  /// `sy:updatePeriod` in minutes. If only a frequency is given, the period is a day.
  private var period: Int?
  /// `sy:updateFrequency`, the updates in a period. If only a period is given, the frequency is
  /// one.
  private var frequency: Int?

  /// The minutes between two updates; nil if the publisher gives none. For a feed that has ended,
  /// this is a day.
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
