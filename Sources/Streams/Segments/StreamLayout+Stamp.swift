extension StreamLayout {
  /// The time stamp of the film's beginning, in ticks of `TimeStamp.scale`.
  package var firstStamp: Int {
    let first = strands.first?.sections.first ?? 0
    // A section's nanoseconds are added to its times. So the time at the beginning is their
    // negative.
    let nanoseconds = zero &- first
    return nanoseconds / MediaTime.second * TimeStamp.scale
      + nanoseconds % MediaTime.second * TimeStamp.scale / MediaTime.second
  }
}
