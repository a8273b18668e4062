package import Blocks

/// The read-ahead window of one reader: how far ahead to fetch, and in which pieces.
///
/// The window opens when the reader has read beyond its first fetch. So a program that looks only
/// at heads costs one small request a file. For a program that is known to look and not to play, it
/// opens later.
///
/// The read-ahead grows with what was read: for each lane (`Lanes`) it is twice the bytes that the
/// reader has read. With one lane, a reader that stops early has cost at most three times the bytes
/// that it read. Requests of one lane grow with the reader to 8 MiB. They grow to 32 MiB in a long
/// run, or if answers take long. Requests of several lanes are short (`Lanes.piece`).
///
/// The window is full when `readAhead` at the reader's own rate is ready, which a playing reader
/// soon has. The window is filled again when half of it is used up. So the network works in long
/// runs and rests in between.
///
/// A seek restarts the window.
package struct ReadAheadWindow: Sendable {
  /// The largest distance in bytes between a read and the expected place that does not count as a
  /// seek. The kernel sends up to four read-ahead requests at once (posix_fadvise doubles them),
  /// and they overtake each other.
  private static let slack = 1 << 20
  /// The fewest bytes that are worth a request of their own. A first fetch brings as many.
  private static let minFetch = 512 << 10

  /// The rules that it needs. Each read copies a window, and all rules would be five times as long.
  private let (firstFetch, minAhead, maxAhead): (Int, Int, Int)
  private let (initialMaxFetch, maxFetch, maxWarmFetch): (Int, Int, Int)
  private let (readAhead, sparingAhead): (Duration, Duration)
  private let minSparingAhead: Int
  /// True if the program is known to look at a film, and not to play it.
  let isLook: Bool
  /// The bytes that are read in a row before the window opens.
  private let opensAfter: Int
  /// The end of the first fetch at the head of the file.
  let headFetch: Int
  /// Bytes of a fetch behind the first one, before the window opens.
  private let nextFetch: Int
  /// The place and the time at which the current run of reads began; nil before the first read.
  private var run: (start: Int, since: Duration)?
  /// The time of the first read.
  private var first: Duration?
  /// The offset at which the reader will read next if it does not seek.
  private(set) var next = 0
  /// The end of the bytes that were cached or under way without a gap at the last look.
  private(set) var edge = 0
  /// The reader's offset at which to look for missing bytes again.
  private var lookAt = 0

  /// - Parameter isLooker: whether the program is known to look at a film, and not to play it.
  package init(rules: FillRules, isLooker: Bool = false) {
    isLook = isLooker
    opensAfter = isLooker ? rules.heads.lookedHead : rules.heads.firstFetch
    headFetch = isLooker ? rules.maxHeadFetch : rules.headFetch
    nextFetch = isLooker ? rules.heads.lookedPiece : rules.heads.firstFetch
    (firstFetch, minAhead, maxAhead) = (
      rules.heads.firstFetch, rules.ahead.minAhead, rules.ahead.maxAhead
    )
    (initialMaxFetch, maxFetch) = (rules.sizes.initialMaxFetch, rules.sizes.maxFetch)
    maxWarmFetch = rules.sizes.maxWarmFetch
    (readAhead, sparingAhead) = (rules.ahead.readAhead, rules.ahead.sparingAhead)
    minSparingAhead = rules.ahead.minSparingAhead
  }

  /// The number of bytes that the reader has read in a row.
  private var read: Int {
    next - (run?.start ?? next)
  }

  /// True if anything was read.
  var hasRead: Bool { run != nil }

  /// True if the read-ahead may start.
  package var isOpen: Bool {
    read > opensAfter
  }

  /// True if the reader has only just gone past its first fetch.
  var isYoung: Bool {
    read < 2 * firstFetch
  }

  /// True if a window of `depth` bytes has its full size, and does not grow with the reader.
  func isGrown(_ depth: Int, lanes: Int) -> Bool {
    depth >= minAhead && depth < Self.growth(of: lanes) * read
  }

  /// True if the reader has read to the end of a file of `length` bytes. The reader must have read
  /// at least a tenth of the file in a row, so a look at the tail does not count.
  package func hasReachedEnd(of length: Int) -> Bool {
    isOpen && next >= length && read >= length / 10
  }

  /// Returns the bytes that were read in a row, of a file of `length` bytes.
  func run(at now: Duration, of length: Int) -> ReadRun {
    ReadRun(
      time: now - (run?.since ?? now), bytes: read, reachesEnd: hasReachedEnd(of: length),
      isBegun: isOpen)
  }

  /// True if a byte at `offset` will be read soon if the reader goes on as before.
  package func covers(_ offset: Int) -> Bool {
    isOpen && offset >= next - Self.slack && offset < edge
  }

  /// True if a byte at `offset` lies around the reader's place.
  ///
  /// Readers of one file share the kernel's pages. So the daemon sees only some reads of each
  /// reader, and the reader seems to seek.
  package func isNear(_ offset: Int) -> Bool {
    abs(offset - next) < Self.slack
  }

  /// Returns the time since the first read.
  package func age(at now: Duration) -> Duration {
    now - (first ?? now)
  }

  /// True if `read` begins far beyond the expected place. Such a read is a seek, unless other
  /// readers have read the bytes between.
  func isPassed(by read: ByteRange) -> Bool {
    run != nil && read.lowerBound > next + Self.slack
  }

  /// True if a read of `range` would be a seek.
  func isSeek(to range: ByteRange) -> Bool {
    abs(range.lowerBound - next) > Self.slack
  }

  /// True if `range` is all that was read since the last seek.
  func hasOnly(_ range: ByteRange) -> Bool {
    run?.start == range.lowerBound && next == range.upperBound
  }

  /// Notes a read. Returns true if it was a seek.
  ///
  /// - Parameter isLed: whether other readers may have read the bytes before it.
  package mutating func noted(_ read: ByteRange, at now: Duration, isLed: Bool = false) -> Bool {
    first = first ?? now
    let isSeek = self.isSeek(to: read) && !isLed
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

  /// Returns how many bytes should be ready ahead of the reader at `now`. `rate` is the rate at
  /// which the file plays, in bytes a second, if known.
  ///
  /// - Parameter isSparing: whether the read-ahead is short.
  package func depth(lanes: Int, rate: Int?, isSparing: Bool = false, at now: Duration) -> Int {
    let pace = pace(rate: rate, isSparing: isSparing, at: now)
    let ahead = pace * ((isSparing ? sparingAhead : readAhead) / .seconds(1))
    let least = isSparing ? minSparingAhead : minAhead
    let full = min(max(Int(min(ahead, 1e12)), least), maxAhead)
    return min(full, Self.growth(of: lanes) * read)
  }

  /// Returns the bytes a second that the reader will need.
  ///
  /// A player first fills a buffer of its own, as fast as it can. So if the film's rate is known, a
  /// faster reader counts as a copy only when it has read more than a buffer holds. On a line whose
  /// bytes are dear, it never does.
  func pace(rate: Int?, isSparing: Bool = false, at now: Duration) -> Double {
    // A player that fills its buffer is fast for some seconds.
    let least = Duration.seconds(isSparing ? 10 : 1)
    let elapsed = max(now - (run?.since ?? now), least) / .seconds(1)
    let own = Double(read) / elapsed
    guard let rate, rate > 0 else { return own }
    let film = Double(rate)
    let isCopy = own > Self.copy * film && Double(read) > film * (readAhead / .seconds(1))
    return isCopy && !isSparing ? own : film
  }

  /// Returns the reader's lead in seconds over a player that began to play a film of `rate` bytes a
  /// second at the reader's first read.
  func lead(over rate: Int, at now: Duration) -> Double {
    Double(read) / Double(max(rate, 1)) - (now - (run?.since ?? now)) / .seconds(1)
  }

  /// The factor by which a copy is faster than the film plays.
  private static let copy = 2.0

  /// The number of bytes ahead for each byte that was read, while the window grows.
  private static func growth(of lanes: Int) -> Int { 2 * lanes }

  /// True when the window should look for missing bytes.
  package var isDue: Bool {
    isOpen && next >= lookAt
  }

  /// Returns the range to fetch next; nil if the window is full. All bytes from `next` to `edge`
  /// are cached or under way. The target of the window is `depth` bytes. `pause` is how many bytes
  /// a lane would bring in the time between two fetches, and `piece` the most bytes of a fetch. One
  /// lane grows as fast as `reach` lanes.
  package mutating func fetch(
    beyond edge: Int, depth: Int, lanes: Int, reach: Int = 1, pause: Int, piece: Int = .max,
    length: Int
  ) -> ByteRange? {
    self.edge = edge
    let missing = min(next + depth, length) - edge
    let least = lanes > 1 ? 2 * Self.minFetch : Self.minFetch
    guard missing > 0, missing >= min(least, length - edge) else {
      // Several lanes have short pieces, so a window that grows with its reader grows steadily.
      let isGrowing = lanes > 1 && depth == Self.growth(of: lanes) * read
      lookAt = edge >= length ? .max : isGrowing ? next + Self.minFetch / 4 : edge - depth / 2
      return nil
    }
    // The last pieces shrink with the number of lanes, so that all lanes end together. They do not
    // become so small that the lanes only wait for answers.
    let share = max((length - edge) / lanes, 2 * Self.minFetch, pause)
    let most = lanes > 1 ? min(share, piece) : piece
    self.edge = min(
      edge + min(size(pause: pause, reach: lanes > 1 ? 1 : reach), most, missing), length)
    return edge..<self.edge
  }

  /// Returns the number of bytes of one fetch. The number grows in a long run, and if a lane waits
  /// long between two fetches. It stays small compared with the bytes already read, because lanes
  /// bring bytes out of order.
  private func size(pause: Int, reach: Int) -> Int {
    let most =
      reach > 1
      ? maxWarmFetch : max(initialMaxFetch, min(4 * pause, maxFetch))
    let grown = min(Self.growth(of: reach) * read, most)
    let long = min(read / 4, maxFetch)
    return max(2 * Self.minFetch, grown, long)
  }

  /// Returns the number of bytes of a fetch for a waiting read. One lane grows as fast as `reach`
  /// lanes.
  package func demand(reach: Int) -> Int {
    if isOpen { return size(pause: 0, reach: reach) }
    return read < headFetch ? firstFetch : nextFetch
  }

  /// Makes the window look for missing bytes again, because cached bytes or fetches may be lost.
  package mutating func rescan() {
    lookAt = 0
  }
}
