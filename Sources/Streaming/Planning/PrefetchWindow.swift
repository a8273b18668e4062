package import Blocks

/// The read-ahead window of one reader: how far ahead to fetch, and in which pieces.
///
/// The window opens when the reader has read beyond its first fetch, so a program that scans heads
/// costs one small request a file. The amount read so far is then the best guess of how much the
/// reader will want: twice that is fetched ahead of it for each lane (`Lanes`). A reader that stops
/// has cost three times what it read if there was one lane. Requests grow with the reader to 8 MiB,
/// and to 32 MiB in a long run or if answers take long. A playing reader soon has `readAhead` ahead
/// of it, at its own rate, and the window is full. It is refilled when half of it is used up, so
/// the network works in long runs and rests in between.
///
/// A seek starts the window anew.
package struct PrefetchWindow: Sendable {
  /// Bytes by which a read may miss the expected place and still continue: up to four of the
  /// kernel's read-ahead requests are on their way at once (posix_fadvise doubles them), and they
  /// overtake each other.
  private static let slack = 1 << 20
  /// Bytes that are worth a request of their own: as many as a first fetch brings.
  private static let minFetch = 512 << 10

  private let rules: FillRules
  /// Where and when the current run of reads began; nil before the first read.
  private var run: (start: Int, since: Duration)?
  /// The time of the first read.
  private var first: Duration?
  /// The offset at which a reader that reads on would read next.
  private(set) var next = 0
  /// The offset up to which all bytes were cached or under way at the last look.
  private(set) var edge = 0
  /// The reader's offset at which to look for missing bytes again.
  private var lookAt = 0

  package init(rules: FillRules) {
    self.rules = rules
  }

  /// Bytes that the reader has read in a row.
  private var read: Int {
    next - (run?.start ?? next)
  }

  /// Whether anything was read.
  var hasRead: Bool { run != nil }

  /// Whether the read-ahead may start.
  package var isOpen: Bool {
    read > rules.firstFetch
  }

  /// Whether the reader has read to the end of a file of `length` bytes, and not only looked at its
  /// tail: it must have read at least a tenth of the file in a row.
  package func hasReachedEnd(of length: Int) -> Bool {
    isOpen && next >= length && read >= length / 10
  }

  /// Whether a byte at `offset` will be read soon if the reader goes on as before.
  package func covers(_ offset: Int) -> Bool {
    isOpen && offset >= next - Self.slack && offset < edge
  }

  /// Whether a byte at `offset` lies around the reader's place.
  ///
  /// Readers of one file share the kernel's pages. Each asks here for only some parts of the file,
  /// and seems to seek.
  package func isNear(_ offset: Int) -> Bool {
    abs(offset - next) < Self.slack
  }

  /// Returns the time since the first read.
  package func age(at now: Duration) -> Duration {
    now - (first ?? now)
  }

  /// Whether `read` begins so far beyond the expected place that it is a seek, unless other readers
  /// have read the bytes between.
  func isPassed(by read: ByteRange) -> Bool {
    run != nil && read.lowerBound > next + Self.slack
  }

  /// Notes a read; returns true if it was a seek.
  ///
  /// - Parameter isLed: whether other readers may have read the bytes before it.
  package mutating func noted(_ read: ByteRange, at now: Duration, isLed: Bool = false) -> Bool {
    first = first ?? now
    let isSeek = abs(read.lowerBound - next) > Self.slack && !isLed
    guard isSeek || run == nil else {
      next = max(next, read.upperBound)
      return false
    }
    run = (read.lowerBound, now)
    next = read.upperBound
    edge = 0
    lookAt = 0
    return isSeek
  }

  /// Returns how many bytes should be ready ahead of the reader at `now`; `rate` is the file's own
  /// in bytes a second, if known.
  package func depth(lanes: Int, rate: Int?, at now: Duration) -> Int {
    let elapsed = max(now - (run?.since ?? now), .seconds(1)) / .seconds(1)
    let perSecond = max(Double(rate ?? 0), Double(read) / elapsed)
    let ahead = perSecond * (rules.readAhead / .seconds(1))
    let full = min(max(Int(min(ahead, 1e12)), rules.minAhead), rules.maxAhead)
    return min(full, 2 * lanes * read)
  }

  /// True when the window should look for missing bytes.
  package var isDue: Bool {
    isOpen && next >= lookAt
  }

  /// Returns the range to fetch next, given that all bytes from `next` to `edge` are cached or
  /// under way; nil if the window, whose target is `depth` bytes, is full. `pause` is how many
  /// bytes a lane would bring in the time between two fetches.
  package mutating func fetch(
    beyond edge: Int, depth: Int, lanes: Int, pause: Int, length: Int
  ) -> ByteRange? {
    self.edge = edge
    let missing = min(next + depth, length) - edge
    guard missing > 0, missing >= min(Self.minFetch, length - edge) else {
      lookAt = edge < length ? edge - depth / 2 : .max
      return nil
    }
    // The last pieces shrink with the number of lanes, so all lanes end together; but not so far
    // that the lanes only wait for answers.
    let share = max((length - edge) / lanes, 2 * Self.minFetch, 4 * pause)
    self.edge = min(edge + min(size(pause: pause), share, missing), length)
    return edge..<self.edge
  }

  /// Returns the bytes of one fetch. They grow if a lane waits long between two fetches, and in a
  /// long run; but bytes out of order must stay few beside the bytes already read.
  private func size(pause: Int) -> Int {
    let grown = min(2 * read, max(rules.largestFetch, min(4 * pause, rules.longestFetch)))
    let long = min(read / 4, rules.longestFetch)
    return max(2 * Self.minFetch, grown, long)
  }

  /// Bytes of a fetch for a waiting read.
  package var demand: Int {
    isOpen ? size(pause: 0) : rules.firstFetch
  }

  /// Forces a new look: bytes that were cached or under way may be lost.
  package mutating func rescan() {
    lookAt = 0
  }
}
