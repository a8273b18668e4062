/// Converts the time stamps of a section to times from the beginning of the stream.
///
/// Each section has a clock of its own. The least time stamp of a section corresponds to the
/// beginning of the section in the playlist, unless a manifest tells another time stamp. Tracks in
/// separate files share the clock, so the least time stamp of all tracks is used.
package struct SectionClock: Hashable, Sendable {
  /// The time stamp of the section's beginning, in ticks.
  package let zero: Int
  /// The time from the beginning of the stream to the section, in ticks.
  package let start: Int

  /// - Parameter first: the least time stamp in the section's first segment, among all tracks.
  package init(_ section: StreamSection, first: Int) {
    zero = section.mediaStart.map(TimeStamp.ticks) ?? first
    start = TimeStamp.ticks(section.start)
  }

  /// Returns a time stamp near the time stamps of a segment. Those have only 33 bits, and get their
  /// higher bits from the returned time stamp.
  package func time(near segment: StreamSegment) -> Int {
    TimeStamp.ticks(segment.start) - start + zero
  }

  /// Converts a time stamp to a time from the beginning of the stream. Both are in ticks.
  package func place(of time: Int) -> Int { time - zero + start }
}
