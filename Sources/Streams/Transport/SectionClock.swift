/// The time stamps of a section as places in the film.
///
/// Each section has a clock of its own: its least time stamp is where the documents say that the
/// section begins. Separate tracks share the clock, so the least time stamp of all of them counts.
package struct SectionClock: Hashable, Sendable {
  /// The time stamp, in ticks, at which the section begins.
  package let zero: Int
  /// The place of the section in the film, in ticks.
  package let start: Int

  /// - Parameter first: the least time stamp of the section's first segment, of all tracks.
  package init(_ section: StreamSection, first: Int) {
    zero = section.mediaStart.map(TimeStamp.ticks) ?? first
    start = TimeStamp.ticks(section.start)
  }

  /// Returns a time stamp near those of a segment, from which they get the bits above the 33rd.
  package func time(near segment: StreamSegment) -> Int {
    TimeStamp.ticks(segment.start) - start + zero
  }

  /// Returns the place in the film of a time stamp, in ticks.
  package func place(of time: Int) -> Int { time - zero + start }
}
