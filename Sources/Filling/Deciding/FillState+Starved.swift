import Blocks

/// Decides when to give up a fetch that the others have starved.
extension FillState {
  /// Cancels starved fetches for which a read waits. Then `demand` asks for their rest.
  ///
  /// Connections do not share a narrow line alike. A new one that loses its first packets, because
  /// others have filled every buffer, may bring next to nothing for many seconds: its timeouts
  /// double (RFC 6298 §5.5). A connection that just became free brings the same bytes at once.
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
  /// True if it has brought something, has had time to get up to speed, and brings less than half
  /// of its `fair` share of the line now, in bytes a second.
  fileprivate func isStarved(of fair: Int, at now: Duration) -> Bool {
    guard mayBeStarved(at: now), let begun, now - begun > (begun - asked) * 3 else { return false }
    return pace.rate(at: now) < fair / 2
  }

  /// True if it has run long enough, whatever it brings.
  fileprivate func mayBeStarved(at now: Duration) -> Bool {
    guard !isCheck, brought > 0, let begun else { return false }
    return now - begun > Self.start
  }

  /// The least time that a fetch gets. TCP doubles its rate with each round trip at first.
  private static let start = Duration.milliseconds(1500)
}
