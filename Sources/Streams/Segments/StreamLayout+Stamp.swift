extension StreamLayout {
  /// The time stamp of the film's beginning, in ticks of `TimeStamp.scale`.
  package var firstStamp: Int {
    let first = strands.first?.sections.first ?? 0
    // A section's nanoseconds are added to its times, so they are the stamp of the beginning.
    let nanoseconds = zero &- first
    return nanoseconds / MediaTime.second * TimeStamp.scale
      + nanoseconds % MediaTime.second * TimeStamp.scale / MediaTime.second
  }
}
