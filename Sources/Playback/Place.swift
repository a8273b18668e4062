/// How far somebody has come in what plays.
struct Place: Hashable, Sendable {
  var seconds = 0.0
  /// Seconds; nil: not known yet.
  var duration: Double?
  /// Seconds, as they were kept last.
  var kept: Double?
  private var count = 0

  /// True when it is time to keep the place.
  mutating func moved(to seconds: Double) -> Bool {
    self.seconds = seconds
    count += 1
    return count.isMultiple(of: PlayQueue.pace) && kept != seconds
  }

  /// What follows is the credits, at most.
  var isNearEnd: Bool {
    guard let duration else { return false }
    return duration - seconds < max(2, duration / 20)
  }

  /// It is known that there should have been more. The place is a second old, at most.
  var isCutShort: Bool { duration != nil && !isNearEnd }

  /// Nobody wants to be brought back to where a look at the beginning ended.
  var isWorthKeeping: Bool { seconds >= 3 && !isNearEnd }
}
