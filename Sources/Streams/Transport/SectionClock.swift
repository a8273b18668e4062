/// Converts the time stamps of a section to times in the film.
///
/// Each section has a clock of its own. Its least time stamp corresponds to the beginning of the
/// section according to the documents. Separate tracks share the clock, so the least time stamp of
/// all tracks counts.
package struct SectionClock: Hashable, Sendable {
  /// The time stamp of the section's beginning, in ticks.
  package let zero: Int
  /// The time in the film at which the section begins, in ticks.
  package let start: Int

  /// - Parameter first: the least time stamp in the section's first segment, among all tracks.
  package init(_ section: StreamSection, first: Int) {
    zero = section.mediaStart.map(TimeStamp.ticks) ?? first
    start = TimeStamp.ticks(section.start)
  }

  /// Returns a time stamp near those of a segment. They have 33 bits, and get their higher bits
  /// from it.
  package func time(near segment: StreamSegment) -> Int {
    TimeStamp.ticks(segment.start) - start + zero
  }

  /// Returns the time in the film of a time stamp. Both are in ticks.
  package func place(of time: Int) -> Int { time - zero + start }
}
