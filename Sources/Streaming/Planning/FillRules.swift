/// How long to wait, how much to ask for.
package struct FillRules: Hashable, Sendable {
  /// A waiting read ends after this time, with its bytes or with an error.
  package var readTimeout: Duration = .seconds(60)
  /// The same while the user has nothing fetched.
  package var pauseTimeout: Duration = .seconds(600)
  /// A read that overlaps one which failed this short a time ago fails at once: the kernel repeats a
  /// failed read-ahead page by page, and the reader would wait twice.
  package var failureMemory: Duration = .seconds(1)
  /// Answers without a new byte after which the readers of a range are told.
  package var fruitlessAnswers = 8
  /// Bytes of the first fetch of a cold read, so that a player's first 256 KiB cost one round trip:
  /// while they are read by small steps Linux, whose read-ahead doubles from 16 to 128 KiB, asks for
  /// up to 496 KiB.
  package var firstFetch = 512 << 10
  /// Bytes at the head of a file that are fetched for a scanner, which looks at every file to learn
  /// what it is: `file` reads 7 MiB at both ends, and would cost a feed's worth of traffic.
  package var scannedHead = 1 << 20
  /// How much of what a reader will want is fetched ahead of it, at its own rate, but no less than
  /// `leastAhead` and no more than `mostAhead` bytes.
  package var readAhead: Duration = .seconds(60)
  package var leastAhead = 4 << 20
  package var mostAhead = 256 << 20
  /// Bytes of the largest fetch, until four times as many were read in a row; and then.
  package var largestFetch = 8 << 20
  package var longestFetch = 32 << 20
  /// The same for a store that lets go of blocks for new ones: what was fetched ahead must not
  /// push itself out.
  package var largestFetchIntoMemory = 1 << 20
  /// Bytes of a file that are kept in memory where the disk does not take them.
  package var keptInMemory = 8 << 20
  /// Fetches for one reader that run at once.
  package var mostLanes = 4
  /// For how long somebody reads on until he is said to have played it; nil: nobody wants to know.
  package var wholeAfter: Duration?
  /// Who has a file open for this long plays it, where his reads are not seen: programs that look at
  /// files have closed them by then.
  package var unseenPlay: Duration = .seconds(10)
  /// For how long a reader waits until what a broken answer brought was compared; then it reads what is
  /// there, since the origin is away.
  package var comparison: Duration = .seconds(1)
  /// Bytes left of a fetch that nobody waits for, up to which it is let run if they come sooner than a
  /// new connection would: a cancelled HTTP/1 connection is lost. A first fetch is let run out.
  package var shortRest = 576 << 10

  package init() {}
}
