import Blocks

/// The short delays of fetches that gain by waiting, for the end of another fetch or for the
/// kernel's next request.
struct Seeks: Sendable {
  /// A read for which nothing is fetched yet, because the kernel may still send its read of the
  /// bytes just before.
  struct Hold: Sendable {
    let wait: WaitID
    let handle: HandleID
    let bytes: ByteRange
    var end: Duration
  }

  /// The largest number of fetches that have run at once. As many connections are open.
  private(set) var peakFetches = 0
  /// True if earlier files have left a second connection.
  private let hasSpare: Bool
  /// The time range in which new fetches are put off; nil if they are not. They wait until a
  /// running fetch ends, and at most until the end of this range.
  private(set) var putOff: Range<Duration>?
  /// The length of all past delays together.
  private var waited: Duration = .zero
  /// The fetch that opened the second connection, while another fetch was put off; nil if none did.
  var second: FetchID?
  /// The read that is held; nil if none is.
  var hold: Hold?

  init(hasSpare: Bool) {
    self.hasSpare = hasSpare
  }

  /// True if there are two connections: two fetches have run at once, or earlier files have left
  /// them.
  var hasHadTwo: Bool { peakFetches > 1 || hasSpare }

  /// Notes that a fetch has started, and that `count` fetches run now.
  mutating func started(running count: Int) {
    peakFetches = max(peakFetches, count)
  }

  /// Puts new fetches off until a connection is free, probably after `time`. They are put off for
  /// `latency` at most, the time in which a new connection opens. Returns false if they must not
  /// wait.
  ///
  /// All delays of a file together must be shorter than `latency`. Otherwise a reader that seeks
  /// again and again would wait each time, though one new connection would spare it all further
  /// waits.
  mutating func delay(for time: Duration, opening latency: Duration, at now: Duration) -> Bool {
    guard waited + time < latency else { return false }
    putOff = now..<(now + latency)
    return true
  }

  /// Ends the delay of put-off fetches, if there is one, and counts its length.
  mutating func endPutOff(at now: Duration) {
    if let putOff { waited += max(.zero, now - putOff.lowerBound) }
    putOff = nil
  }

  /// Returns whether nothing is to be fetched for `wait` yet.
  func isHeld(_ wait: WaitID, at now: Duration) -> Bool {
    hold.map { $0.wait == wait && $0.end > now } ?? false
  }

  /// Returns the next time at which a delay ends; nil if none runs.
  func wake(after now: Duration) -> Duration? {
    let ends = [putOff?.upperBound, hold?.end]
    return ends.compactMap(\.self).filter { $0 > now }.min()
  }
}
