import Blocks

/// Decides when to replace a fetch that gets too little of the line because other fetches use it
/// up.
extension FillState {
  /// Cancels fetches that get less than half of their share of the line, if a read waits for their
  /// bytes. The caller, `demand`, then requests the missing bytes again.
  ///
  /// Connections do not share a narrow line evenly. If other connections have filled all buffers, a
  /// new one loses its first packets. It may then bring next to nothing for many seconds, because
  /// its timeouts double (RFC 6298 §5.5). A connection that has just become free brings the same
  /// bytes at once.
  mutating func dropStarved(at now: Duration) -> [Action] {
    guard !originLacksRanges, fetches.values.contains(where: { $0.mayBeStarved(at: now) }) else {
      return []
    }
    let fair = throughput.rate(at: now) / rules.lanes.maxLanes
    let starved = fetches.filter { fetch in
      isWaitedFor(fetch.value.rest) && fetch.value.isStarved(of: fair, at: now)
    }
    return drop(starved.keys.sorted())
  }
}

extension FillState.Fetch {
  /// Returns whether the fetch now brings less than half of `fair`, its share of the line in bytes
  /// a second, though it has had time to come up to speed.
  fileprivate func isStarved(of fair: Int, at now: Duration) -> Bool {
    guard mayBeStarved(at: now), let begun, now - begun > (begun - asked) * 3 else { return false }
    return pace.rate(at: now) < fair / 2
  }

  /// Returns whether the fetch has brought bytes, and has run long enough to be judged.
  fileprivate func mayBeStarved(at now: Duration) -> Bool {
    guard !isCheck, brought > 0, let begun else { return false }
    return now - begun > Self.start
  }

  /// The least time for which a fetch must have run before it is judged. At first, TCP doubles the
  /// rate of a connection with each round trip.
  private static let start = Duration.milliseconds(1500)
}
