package import Blocks

/// The read-ahead window of one reader. It decides how far ahead to fetch, and how many bytes at
/// once.
///
/// The window opens when the reader has read beyond its first fetch. So a program that reads only
/// the heads of files costs one small request for each file. For a program that is known to inspect
/// media files without playing them, the window opens later.
///
/// The window grows with the reader. Each lane (`Lanes`) makes it longer by twice the bytes that
/// were read. So with one lane, a reader that stops early has cost at most three times the bytes
/// that it read. Requests of one lane grow with the reader, too: to 8 MiB, and to 32 MiB in a long
/// run or if answers take long. Requests of several lanes are short (`Lanes.piece`).
///
/// The window is full when bytes for the playing time `readAhead` are ready. It is filled again
/// when half of them are used up. So the network works for long periods, and is idle in between.
///
/// A seek restarts the window.
package struct ReadAheadWindow: Sendable {
  /// A read counts as a seek if it is more than this many bytes away from the expected place. A
  /// nearer read may only be out of order. The kernel sends up to four read-ahead requests at once
  /// (posix_fadvise doubles them), and they overtake each other.
  private static let slack = 1 << 20
  /// The least number of bytes that a request should have. A first fetch has the same size.
  private static let minFetch = 512 << 10

  /// The rules that the window needs, copied one by one. Each read copies the window, and all of
  /// `FillRules` would be five times as large.
  private let (firstFetch, minAhead, maxAhead): (Int, Int, Int)
  private let (initialMaxFetch, maxFetch, maxWarmFetch): (Int, Int, Int)
  private let (readAhead, sparingAhead): (Duration, Duration)
  private let minSparingAhead: Int
  /// True if the program is known to inspect media files without playing them.
  let isLook: Bool
  /// The number of bytes that must be read in a row before the window opens.
  private let opensAfter: Int
  /// The offset at which the first fetch at the head of the file ends.
  let headFetch: Int
  /// The size in bytes of each fetch after the first one, until the window opens.
  private let nextFetch: Int
  /// The offset and the time at which the current run of reads began; nil before the first read. A
  /// seek begins a new run.
  private var run: (start: Int, since: Duration)?
  /// The time of the first read; nil before it.
  private var first: Duration?
  /// The offset at which the reader will read next if it does not seek.
  private(set) var next = 0
  /// When the window last looked for missing bytes, all bytes from `next` to this offset were
  /// cached or under way.
  private(set) var edge = 0
  /// The window looks for missing bytes again when the reader has come to this offset.
  private var lookAt = 0

  /// - Parameter isLooker: whether the program is known to inspect media files without playing
  ///   them.
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

  /// True if the reader has read enough in a row for the read-ahead to start.
  package var isOpen: Bool {
    read > opensAfter
  }

  /// True if the reader has read fewer bytes in a row than two first fetches have.
  var isYoung: Bool {
    read < 2 * firstFetch
  }

  /// Returns whether `depth` bytes are the full size of the window, so that it no longer grows with
  /// the reader.
  func isGrown(_ depth: Int, lanes: Int) -> Bool {
    depth >= minAhead && depth < Self.growth(of: lanes) * read
  }

  /// Returns whether the reader has read to the end of a file of `length` bytes. It must have read
  /// at least a tenth of the file in a row, so a read of the tail alone does not count.
  package func hasReachedEnd(of length: Int) -> Bool {
    isOpen && next >= length && read >= length / 10
  }

  /// Returns the current run of reads in a file of `length` bytes.
  func run(at now: Duration, of length: Int) -> ReadRun {
    ReadRun(
      time: now - (run?.since ?? now), bytes: read, reachesEnd: hasReachedEnd(of: length),
      isBegun: isOpen)
  }

  /// Returns whether the reader will soon read the byte at `offset` if it goes on as before.
  package func covers(_ offset: Int) -> Bool {
    isOpen && offset >= next - Self.slack && offset < edge
  }

  /// Returns whether the byte at `offset` is near the place of the reader, before or behind it.
  ///
  /// Readers of one file share the kernel's pages, so the daemon sees only some reads of each. So a
  /// reader may seem to seek although it reads on.
  package func isNear(_ offset: Int) -> Bool {
    abs(offset - next) < Self.slack
  }

  /// Returns the time since the first read.
  package func age(at now: Duration) -> Duration {
    now - (first ?? now)
  }

  /// Returns whether `read` begins far beyond the expected place. Then it is a seek, unless other
  /// readers have read the bytes in between.
  func isPassed(by read: ByteRange) -> Bool {
    run != nil && read.lowerBound > next + Self.slack
  }

  /// Returns whether a read of `range` would be a seek.
  func isSeek(to range: ByteRange) -> Bool {
    abs(range.lowerBound - next) > Self.slack
  }

  /// Returns whether `range` is all that was read since the last seek.
  func hasOnly(_ range: ByteRange) -> Bool {
    run?.start == range.lowerBound && next == range.upperBound
  }

  /// Notes a read. Returns true if it was a seek.
  ///
  /// - Parameter isLed: whether other readers may have read the bytes between the expected place
  ///   and `read`. Then it is no seek.
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

  /// Returns the target of the window: how many bytes should be ready ahead of the reader. `rate`
  /// is the rate at which the file plays, in bytes a second; nil if it is not known.
  ///
  /// - Parameter isSparing: whether the read-ahead is short, because the line is metered or
  ///   limited.
  package func depth(lanes: Int, rate: Int?, isSparing: Bool = false, at now: Duration) -> Int {
    let pace = pace(rate: rate, isSparing: isSparing, at: now)
    let ahead = pace * ((isSparing ? sparingAhead : readAhead) / .seconds(1))
    let least = isSparing ? minSparingAhead : minAhead
    let full = min(max(Int(min(ahead, 1e12)), least), maxAhead)
    return min(full, Self.growth(of: lanes) * read)
  }

  /// Returns the rate that the reader will need, in bytes a second.
  ///
  /// A player needs `rate`, the rate at which the file plays. A program that copies the file needs
  /// the rate at which it reads. A player first fills a buffer, as fast as it can. So a fast reader
  /// counts as a copy only when it has read more than fits into a buffer. If the read-ahead is
  /// short (`isSparing`), a reader never counts as a copy.
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

  /// Returns how many seconds of playing time the reader is ahead of the place that its player
  /// shows, if the player began to play when the current run of reads began. `rate` is the rate at
  /// which the file plays, in bytes a second.
  func lead(over rate: Int, at now: Duration) -> Double {
    Double(read) / Double(max(rate, 1)) - (now - (run?.since ?? now)) / .seconds(1)
  }

  /// A reader that is faster than the file plays by this factor may be a program that copies it.
  private static let copy = 2.0

  /// Returns how many bytes the growing window has for each byte that was read.
  private static func growth(of lanes: Int) -> Int { 2 * lanes }

  /// True if it is time to look for missing bytes.
  package var isDue: Bool {
    isOpen && next >= lookAt
  }

  /// Returns the range to fetch next; nil if the window is full. All bytes from `next` to `edge`
  /// are cached or under way. `depth` is the target of the window, in bytes. `pause` is the number
  /// of bytes that a lane could bring in the time between two fetches. `piece` is the limit for the
  /// bytes of a fetch. The fetches of a single lane can grow as if there were `reach` lanes.
  package mutating func fetch(
    beyond edge: Int, depth: Int, lanes: Int, reach: Int = 1, pause: Int, piece: Int = .max,
    length: Int
  ) -> ByteRange? {
    self.edge = edge
    let missing = min(next + depth, length) - edge
    let least = lanes > 1 ? 2 * Self.minFetch : Self.minFetch
    guard missing > 0, missing >= min(least, length - edge) else {
      // Several lanes have short pieces. So a window that still grows soon looks for missing bytes
      // again.
      let isGrowing = lanes > 1 && depth == Self.growth(of: lanes) * read
      lookAt = edge >= length ? .max : isGrowing ? next + Self.minFetch / 4 : edge - depth / 2
      return nil
    }
    // The last pieces of a file are shared out among the lanes, so that all lanes end together. But
    // the pieces stay large enough to be worth the wait for an answer.
    let share = max((length - edge) / lanes, 2 * Self.minFetch, pause)
    let most = lanes > 1 ? min(share, piece) : piece
    self.edge = min(
      edge + min(size(pause: pause, reach: lanes > 1 ? 1 : reach), most, missing), length)
    return edge..<self.edge
  }

  /// Returns the number of bytes of one fetch. It grows in a long run, and if a lane waits long
  /// between two fetches. It stays small compared with the bytes that were already read, because
  /// lanes bring bytes out of order.
  private func size(pause: Int, reach: Int) -> Int {
    let most =
      reach > 1
      ? maxWarmFetch : max(initialMaxFetch, min(4 * pause, maxFetch))
    let grown = min(Self.growth(of: reach) * read, most)
    let long = min(read / 4, maxFetch)
    return max(2 * Self.minFetch, grown, long)
  }

  /// Returns the number of bytes of a fetch for a waiting read. It can grow as if there were
  /// `reach` lanes.
  package func demand(reach: Int) -> Int {
    if isOpen { return size(pause: 0, reach: reach) }
    return read < headFetch ? firstFetch : nextFetch
  }

  /// Makes the window look for missing bytes at the next call, because cached bytes or fetches may
  /// have been lost.
  package mutating func rescan() {
    lookAt = 0
  }
}
