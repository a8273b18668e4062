import Blocks

/// The short delays of fetches that gain by starting later: when another fetch has ended, or when
/// the kernel has sent its next request.
struct Seeks: Sendable {
  /// A read for which nothing is fetched yet, because the kernel may still send a read of the bytes
  /// just before it.
  struct Hold: Sendable {
    let wait: WaitID
    let handle: HandleID
    let bytes: ByteRange
    var end: Duration
  }

  /// The largest number of fetches that have run at once. The file has as many connections.
  private(set) var peakFetches = 0
  /// True if earlier files have left a second open connection to the origin.
  private let hasSpare: Bool
  /// The time range in which new fetches are put off; nil if they are not. A new fetch waits until
  /// a running one ends, at the latest until the end of this range.
  private(set) var putOff: Range<Duration>?
  /// The total time for which fetches were put off before.
  private var waited: Duration = .zero
  /// The fetch that opened the second connection, while another fetch was put off; nil if none did.
  var second: FetchID?
  /// The read that is held for a moment, before anything is fetched for it; nil if there is none.
  var hold: Hold?

  init(hasSpare: Bool) {
    self.hasSpare = hasSpare
  }

  /// True if the file has two connections, because two fetches have run at once, or because earlier
  /// files have left a second one.
  var hasHadTwo: Bool { peakFetches > 1 || hasSpare }

  /// Notes that a fetch has started, and that `count` fetches run now.
  mutating func started(running count: Int) {
    peakFetches = max(peakFetches, count)
  }

  /// Puts new fetches off until a connection is free, which will probably take `time`. They wait at
  /// most for `latency`, the time that a new connection takes to open. Returns false if they must
  /// not wait.
  ///
  /// All delays of a file together must be shorter than `latency`. Otherwise a reader that seeks
  /// often would wait each time, although one new connection would spare it all further waits.
  mutating func delay(for time: Duration, opening latency: Duration, at now: Duration) -> Bool {
    guard waited + time < latency else { return false }
    putOff = now..<(now + latency)
    return true
  }

  /// Ends the time range `putOff`, if there is one, and adds the part of it that has passed to
  /// `waited`.
  mutating func endPutOff(at now: Duration) {
    if let putOff { waited += max(.zero, now - putOff.lowerBound) }
    putOff = nil
  }

  /// Returns whether `wait` is the read in `hold`, so that nothing is fetched for it yet.
  func isHeld(_ wait: WaitID, at now: Duration) -> Bool {
    hold.map { $0.wait == wait && $0.end > now } ?? false
  }

  /// Returns the next time at which a delay ends; nil if none runs.
  func wake(after now: Duration) -> Duration? {
    let ends = [putOff?.upperBound, hold?.end]
    return ends.compactMap(\.self).filter { $0 > now }.min()
  }
}
