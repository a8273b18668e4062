/// A connection of a simulated line: the window of TCP, without its finer rules.
struct SimulatedConnection {
  /// Bytes that may be under way.
  private(set) var window = SimulatedConnection.start
  /// The window at which it stops doubling.
  private var threshold = Double.infinity
  var idleSince: Duration = .zero

  private static let packet = 1460.0
  /// Ten packets: RFC 6928.
  private static let start = 10 * packet

  /// Returns bytes a second beside others, if the windows of all have `all` bytes.
  func rate(over line: PlannerRun.Line, beside all: Double) -> Double {
    let own = window / max(line.latency / .seconds(1), 1e-6)
    return min(own, line.rate, line.total * window / max(all, window))
  }

  /// Counts bytes that came. If the windows of all are more than the line and its buffer take, it
  /// loses a packet.
  mutating func brought(_ bytes: Int, over line: PlannerRun.Line, beside all: Double) {
    guard line.startsSlowly else { return }
    let carried = line.total * (line.latency / .seconds(1))
    if all > carried + max(carried, 65_536) {
      threshold = 0.7 * window
      window = threshold
    } else if window / max(line.latency / .seconds(1), 1e-6) < 2 * line.rate {
      window += Double(bytes) * (window < threshold ? 1 : Self.packet / window)
    }
  }

  /// Begins a request at `now`. After a pause it starts again with ten packets: RFC 5681 §4.1.
  mutating func isUsed(over line: PlannerRun.Line, at now: Duration) {
    guard line.startsSlowly, now - idleSince > line.latency + .milliseconds(200) else { return }
    threshold = max(threshold, 0.75 * window)
    window = Self.start
  }

  /// Returns how long one connection takes for `length` bytes, from its connect on.
  static func time(for length: Int, over line: PlannerRun.Line) -> Duration {
    var connection = Self()
    var time = line.latency * 2
    var left = length
    while left > 0 {
      let bytes = min(left, 4096)
      time += .seconds(Double(bytes) / connection.rate(over: line, beside: connection.window))
      connection.brought(bytes, over: line, beside: connection.window)
      left -= bytes
    }
    return time
  }
}

extension PlannerRun {
  /// A network link: each connection brings `rate` bytes a second, all together at most `total`.
  struct Line: Sendable {
    var latency: Duration
    var rate: Double
    var total: Double
    /// True if each connection has a window of bytes under way, which begins with ten packets and
    /// doubles in a round trip. What exceeds the line and a buffer of a round trip is lost.
    var startsSlowly = false
    /// True if the origin counts `rate` in whole seconds of its clock, as nginx does: the bytes of a
    /// second come at once.
    var comesInSeconds = false
  }
}
