/// How long to wait, how much to ask for.
package struct FillRules: Hashable, Sendable {
  /// A waiting read ends after this time, with its bytes or with an error.
  package var readTimeout: Duration = .seconds(60)
  /// A read that overlaps one which failed this short a time ago fails at once: the kernel repeats a
  /// failed read-ahead page by page, and the reader would wait twice.
  package var failureMemory: Duration = .seconds(1)
  /// Answers without a new byte after which the readers of a range are told.
  package var fruitlessAnswers = 8
  /// Bytes of the first fetch of a cold read: a player's first 256 KiB and the 128 KiB which Linux
  /// reads ahead of them, in one round trip.
  package var firstFetch = 384 << 10
  /// Bytes of a window before it grows: half of the first fetch ahead of a reader.
  package var smallestWindow = 256 << 10
  /// Bytes of the largest fetch: grown windows stop here.
  package var largestFetch = 8 << 20
  /// Bytes left of a fetch that nobody waits for, up to which it is let run: a cancelled HTTP/1
  /// connection is lost.
  package var shortRest = 256 << 10

  package init() {}
}
