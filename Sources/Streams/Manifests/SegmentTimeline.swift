import Markup

/// The times of a period's segments, in ticks (ISO 23009-1 §5.3.9.6).
struct SegmentTimeline {
  struct Entry: Hashable {
    let time: Int
    let duration: Int
  }

  private(set) var entries: [Entry] = []

  /// - Parameter end: the tick at the end of the period; nil if that is not known.
  init(_ element: XMLElement, end: Int?) throws(StreamError) {
    let rows = Array(element.all("s"))
    var time = 0
    for (place, row) in rows.enumerated() {
      time = try row.number("t") ?? time
      guard let duration = try row.number("d"), duration > 0 else {
        throw .malformed("a timeline without durations")
      }
      let next = place + 1 < rows.count ? try rows[place + 1].number("t") : end
      for _ in 0..<(try Self.count(row, from: time, duration, to: next)) {
        entries.append(Entry(time: time, duration: duration))
        let (sum, isOver) = time.addingReportingOverflow(duration)
        guard !isOver else { throw .tooLarge("timeline") }
        time = sum
      }
      guard entries.count <= PlaylistLimits.segments else { throw .tooLarge("segments") }
    }
  }

  /// Returns the number of segments that a row describes. If the row's attribute "r" is negative,
  /// the segments fill the time up to `next`: the beginning of the next row, or the end of the
  /// period.
  private static func count(
    _ row: XMLElement, from time: Int, _ duration: Int, to next: Int?
  ) throws(StreamError) -> Int {
    guard let text = row["r"] else { return 1 }
    guard let repeats = Int(text) else { throw .malformed("@r of a timeline") }
    let count: Int
    if repeats >= 0 {
      count = repeats == .max ? repeats : repeats + 1
    } else {
      guard let next, next >= time else {
        throw .malformed("a timeline that repeats without an end")
      }
      count = (next - time) / duration + ((next - time) % duration == 0 ? 0 : 1)
    }
    guard count <= PlaylistLimits.segments else { throw .tooLarge("segments") }
    return count
  }
}
