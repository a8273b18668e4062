import Blocks

/// The delays of fetches that had better begin a little later, over a connection that is already
/// open.
struct Seeks: Sendable {
  /// A read that waits without a fetch, until the read before it has had time to come.
  struct Hold: Sendable {
    let wait: WaitID
    let handle: HandleID
    let bytes: ByteRange
    var end: Duration
  }

  /// The most fetches that have run at once. There are as many connections.
  private(set) var peakFetches = 0
  /// True if earlier files have left a second connection.
  private let hasSpare: Bool
  /// The time range in which new fetches are put off. They wait for the end of the only fetch, but
  /// not longer than until the end of this range.
  private(set) var putOff: Range<Duration>?
  /// The sum of all earlier delays of put-off fetches.
  private var waited: Duration = .zero
  /// The fetch that opened the second connection, while another fetch was put off.
  var second: FetchID?
  /// A read after a seek that nothing is fetched for yet.
  var hold: Hold?

  init(hasSpare: Bool) {
    self.hasSpare = hasSpare
  }

  /// True if there are two connections, because two fetches have run at once or because earlier
  /// files left them.
  var hasHadTwo: Bool { peakFetches > 1 || hasSpare }

  /// Notes that a fetch starts, and that `count` of them run now.
  mutating func started(running count: Int) {
    peakFetches = max(peakFetches, count)
  }

  /// Puts new fetches off for at most as long as it takes to open a connection. `time` is the time
  /// until a connection is free.
  ///
  /// All these waits together must not exceed the time to open one. Otherwise a reader that seeks
  /// again and again would wait each time, though one new connection would end all these waits.
  /// Returns false if it is too late for a wait.
  mutating func delay(for time: Duration, opening latency: Duration, at now: Duration) -> Bool {
    guard waited + time < latency else { return false }
    putOff = now..<(now + latency)
    return true
  }

  /// Ends the delay of put-off fetches, and counts its length.
  mutating func endPutOff(at now: Duration) {
    if let putOff { waited += max(.zero, now - putOff.lowerBound) }
    putOff = nil
  }

  /// True if nothing is to be fetched for `wait` yet.
  func isHeld(_ wait: WaitID, at now: Duration) -> Bool {
    hold.map { $0.wait == wait && $0.end > now } ?? false
  }

  /// Returns the next time at which a delay ends; nil if none runs.
  func wake(after now: Duration) -> Duration? {
    let ends = [putOff?.upperBound, hold?.end]
    return ends.compactMap(\.self).filter { $0 > now }.min()
  }
}
