package import Blocks

/// How far ahead of one reader to fetch, and in which pieces.
///
/// Nothing before the reader has read on past its first fetch, so that a scanner of heads costs one
/// small request a file. Then it has proved that it reads on, and how much of the file it will want is
/// best told by how much it has read: twice that is fetched ahead of it, for each lane (`Lanes`), so
/// that whoever stops with one lane has cost three times what he read. Requests grow with the reader, to
/// 8 MiB, and to 32 MiB in a long run or where an answer is long awaited. Soon a reader that plays has
/// `readAhead` ahead of it, at its own rate, and the window is full: it is filled again when half of it is
/// used up, so that the network works in long stretches and rests in between.
///
/// A seek starts the window anew.
package struct PrefetchWindow: Sendable {
  /// Bytes by which a read may lie before or after the expected place and still continue: up to four
  /// of the kernel's read-ahead requests are on their way here at once (posix_fadvise doubles them),
  /// and they overtake each other.
  private static let slack = 1 << 20
  /// Bytes that are worth a request of their own: as many as a first fetch brings.
  private static let leastFetch = 512 << 10

  private let rules: FillRules
  /// Where and when the reader began to read on; nil before its first read.
  private var run: (start: Int, since: Duration)?
  /// When the reader read first.
  private var first: Duration?
  /// Where a reader that reads on would read next.
  private(set) var next = 0
  /// Up to where all was held or under way when it was last looked at.
  private(set) var edge = 0
  /// Where the reader is when it is to be looked at again what is missing.
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

  /// Whether anything may be fetched ahead.
  package var isOpen: Bool {
    read > rules.firstFetch
  }

  /// Whether the reader has got to the end of a file of `length` bytes, and not only to look at its tail: its
  /// last tenth, at least, was read in a row.
  package func hasReachedEnd(of length: Int) -> Bool {
    isOpen && next >= length && read >= length / 10
  }

  /// Whether a byte at `offset` will be read soon, if the reader goes on as it did.
  package func covers(_ offset: Int) -> Bool {
    isOpen && offset >= next - Self.slack && offset < edge
  }

  /// Whether a byte at `offset` lies around the reader's place.
  ///
  /// Readers of one file share the kernel's pages, so each of them asks here for parts of it only, and
  /// seems to seek.
  package func isNear(_ offset: Int) -> Bool {
    abs(offset - next) < Self.slack
  }

  /// How long ago the reader read first.
  package func age(at now: Duration) -> Duration {
    now - (first ?? now)
  }

  /// Whether `read` begins so far behind the expected place that it is a seek, unless others have read
  /// what lies between.
  func isPassed(by read: ByteRange) -> Bool {
    run != nil && read.lowerBound > next + Self.slack
  }

  /// Takes note of a read; returns true if it was a seek.
  ///
  /// - Parameter isLed: whether others may have read what lies before it.
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

  /// Bytes ahead of the reader that are to be had at `now`; `rate` is the file's own, in bytes a second,
  /// if it is known.
  package func depth(lanes: Int, rate: Int?, at now: Duration) -> Int {
    let elapsed = max(now - (run?.since ?? now), .seconds(1)) / .seconds(1)
    let perSecond = max(Double(rate ?? 0), Double(read) / elapsed)
    let ahead = perSecond * (rules.readAhead / .seconds(1))
    let full = min(max(Int(min(ahead, 1e12)), rules.leastAhead), rules.mostAhead)
    return min(full, 2 * lanes * read)
  }

  /// Whether it is to be looked at what is missing.
  package var isDue: Bool {
    isOpen && next >= lookAt
  }

  /// What to fetch, given that everything from `next` to `edge` is held or under way; nil if the window,
  /// which is to be `depth` bytes deep, is full. `pause` are the bytes that a lane would bring in the
  /// time between two fetches.
  package mutating func fetch(
    beyond edge: Int, depth: Int, lanes: Int, pause: Int, length: Int
  ) -> ByteRange? {
    self.edge = edge
    let missing = min(next + depth, length) - edge
    guard missing > 0, missing >= min(Self.leastFetch, length - edge) else {
      lookAt = edge < length ? edge - depth / 2 : .max
      return nil
    }
    // The last pieces are as short as the lanes are many, so that all end together; but not so short
    // that the lanes do nothing but wait.
    let share = max((length - edge) / lanes, 2 * Self.leastFetch, 4 * pause)
    self.edge = min(edge + min(size(pause: pause), share, missing), length)
    return edge..<self.edge
  }

  /// Bytes of one fetch. Where a lane waits long between two, and in a long run, they are longer in the
  /// end; but what comes out of order must not be much beside what was read.
  private func size(pause: Int) -> Int {
    let grown = min(2 * read, max(rules.largestFetch, min(4 * pause, rules.longestFetch)))
    let long = min(read / 4, rules.longestFetch)
    return max(2 * Self.leastFetch, grown, long)
  }

  /// Bytes of a fetch for a read that waits.
  package var demand: Int {
    isOpen ? size(pause: 0) : rules.firstFetch
  }

  /// What was held or under way may be so no longer.
  package mutating func lookAgain() {
    lookAt = 0
  }
}
