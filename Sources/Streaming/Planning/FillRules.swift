/// Timeouts and sizes of the fetches of one file.
package struct FillRules: Hashable, Sendable {
  /// The timeout of a waiting read, which ends with its bytes or with an error.
  package var readTimeout: Duration = .seconds(60)
  /// The same while the network mode is paused.
  package var pauseTimeout: Duration = .seconds(600)
  /// The time for which a read that overlaps a failed one fails at once: the kernel repeats a
  /// failed read-ahead page by page, and the reader would wait twice.
  package var failureMemory: Duration = .seconds(1)
  /// Answers without a new byte after which the readers of a range get an error.
  package var fruitlessAnswers = 8
  /// Bytes of the first fetch of a cold read. A player's first 256 KiB then cost one round trip:
  /// while the player reads them in small steps, Linux, whose read-ahead doubles from 16 to 128
  /// KiB, asks for up to 496 KiB.
  package var firstFetch = 512 << 10
  /// Bytes at the head of a file that are fetched for a scanner, which looks at every file to learn
  /// its type: `file` reads 7 MiB at both ends, and would cost a feed's worth of traffic.
  package var scannedHead = 1 << 20
  /// The target of the read-ahead, as playing time at the reader's own rate; at least `minAhead`
  /// and at most `maxAhead` bytes.
  package var readAhead: Duration = .seconds(60)
  package var minAhead = 4 << 20
  package var maxAhead = 256 << 20
  /// Bytes of the largest fetch until the reader has read four times as many in a row; after that
  /// the limit is `longestFetch`.
  package var largestFetch = 8 << 20
  package var longestFetch = 32 << 20
  /// Bytes of the largest fetch, and of the window, for a store that evicts blocks for new ones:
  /// the read-ahead must not evict itself.
  package var largestFetchIntoMemory = 1 << 20
  /// Bytes of a file that are cached in memory if the disk does not take them.
  package var keptInMemory = 8 << 20
  /// The largest number of fetches that run at once for one reader.
  package var maxLanes = 4
  /// How long a reader must have read on until `played` is reported; nil: never.
  package var wholeAfter: Duration?
  /// The time after which an open file counts as playing if its reads are not seen here. Programs
  /// that only inspect files have closed them by then.
  package var unseenPlay: Duration = .seconds(10)
  /// The longest time that a reader waits for the comparison of suspect bytes. After that it reads
  /// the cached bytes, since the origin is away.
  package var comparison: Duration = .seconds(1)
  /// Bytes left of a fetch that no reader waits for, up to which it runs on if they come sooner
  /// than a new connection would: a cancelled HTTP/1 connection is lost. The limit exceeds
  /// `firstFetch`, so a first fetch runs to its end while no rate is known.
  package var shortRest = 576 << 10

  package init() {}
}
