/// How long to wait, how much to ask for.
package struct FillRules: Hashable, Sendable {
  /// A waiting read ends after this time, with its bytes or with an error.
  package var readTimeout: Duration = .seconds(60)
  /// A read that overlaps one which failed this short a time ago fails at once: the kernel repeats a
  /// failed read-ahead page by page, and the reader would wait twice.
  package var failureMemory: Duration = .seconds(1)
  /// Answers without a new byte after which the readers of a range are told.
  package var fruitlessAnswers = 8
  /// Bytes of the first fetch of a cold read, so that a player's first 256 KiB cost one round trip:
  /// while they are read by small steps Linux, whose read-ahead doubles from 16 to 128 KiB, asks for
  /// up to 496 KiB.
  package var firstFetch = 512 << 10
  /// Bytes of a window before it grows: half of the first fetch ahead of a reader, chosen so that a
  /// scanner of 1 MiB costs three requests.
  package var smallestWindow = 192 << 10
  /// Bytes at the head of a file that are fetched for a scanner, which looks at every file to learn
  /// what it is: `file` reads 7 MiB at both ends, and would cost a feed's worth of traffic.
  package var scannedHead = 1 << 20
  /// Bytes of the largest fetch: grown windows stop here.
  package var largestFetch = 8 << 20
  /// The same for a store that lets go of blocks for new ones: what was fetched ahead must not
  /// push itself out.
  package var largestFetchIntoMemory = 1 << 20
  /// Fetches that are begun at once where what is ahead is held in pieces.
  package var lanes = 4
  /// Bytes left of a fetch that nobody waits for, up to which it is let run: a cancelled HTTP/1
  /// connection is lost.
  package var shortRest = 256 << 10

  package init() {}
}
