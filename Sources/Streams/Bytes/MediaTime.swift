/// Arithmetic with times. Files count times in ticks of any timescale; feedfs computes in
/// nanoseconds.
package enum MediaTime {
  package static let second = 1_000_000_000
  package static let millisecond = 1_000_000

  /// Returns the time of `ticks` in nanoseconds, rounded down. `timescale` is the number of ticks
  /// per second.
  package static func nanoseconds(
    _ ticks: Int, timescale: Int
  ) throws(StreamError) -> Int {
    // A timescale has 32 bits in all formats, so `rest * second` cannot overflow.
    guard timescale > 0, timescale <= UInt32.max else { throw .malformed("timescale") }
    var seconds = ticks / timescale
    var rest = ticks % timescale
    if rest < 0 {
      seconds -= 1
      rest += timescale
    }
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: second)
    guard !overflow else { throw .tooLarge("time") }
    return try sum(whole, rest * second / timescale)
  }

  package static func sum(_ first: Int, _ second: Int) throws(StreamError) -> Int {
    let (sum, overflow) = first.addingReportingOverflow(second)
    guard !overflow else { throw .tooLarge("time") }
    return sum
  }

  package static func difference(_ first: Int, _ second: Int) throws(StreamError) -> Int {
    let (difference, overflow) = first.subtractingReportingOverflow(second)
    guard !overflow else { throw .tooLarge("time") }
    return difference
  }

  /// Throws if a time is more than 146 years before or after 0. The sum and the difference of two
  /// smaller times fit into an `Int`.
  package static func check(_ time: Int) throws(StreamError) {
    guard time.magnitude < 1 << 62 else { throw .tooLarge("time") }
  }

  /// Returns a time in milliseconds, rounded to the nearest millisecond.
  package static func milliseconds(_ nanoseconds: Int) -> Int {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: millisecond)
    if rest >= millisecond / 2 { return whole + 1 }
    return rest < -millisecond / 2 ? whole - 1 : whole
  }
}
