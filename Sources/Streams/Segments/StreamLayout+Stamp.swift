extension StreamLayout {
  /// The time stamp at the beginning of the stream's file, in ticks of `TimeStamp.scale`.
  package var firstStamp: Int {
    let first = strands.first?.sections.first ?? 0
    // The nanoseconds of a section are added to its time stamps. So they are subtracted here to get
    // a time stamp.
    let nanoseconds = zero &- first
    return nanoseconds / MediaTime.second * TimeStamp.scale
      + nanoseconds % MediaTime.second * TimeStamp.scale / MediaTime.second
  }
}
