package import Blocks

/// The fetches and readers of a file, for the status.
package struct FillReport: Hashable, Sendable {
  /// A reader of the file.
  package struct Reader: Hashable, Sendable {
    /// The offset at which the reader will read next if it does not seek.
    package let position: Int
    /// The number of bytes from `position` on that are cached without a gap.
    package let ahead: Int
  }

  /// A fetch that is under way.
  package struct Fetch: Hashable, Sendable {
    /// The requested range. Once the answer has begun, the range of the answer.
    package let bytes: ByteRange
    /// The offset after the last byte that has come.
    package let position: Int
    /// True if the answer has begun.
    package let hasBegun: Bool
  }

  /// The readers that have read something, sorted by `position`.
  package var readers: [Reader] = []
  /// The fetches that are under way, oldest first.
  package var fetches: [Fetch] = []
  /// The rate at which bytes come from all fetches together, in bytes a second.
  package var speed = 0
  /// The rate at which the file plays, in bytes a second; nil if it is not known.
  package var playRate: Int?
  /// The number of reads and opens that wait.
  package var waiting = 0
  /// The time until the bytes that the origin fails to send are requested again; nil if there are
  /// none.
  package var retryIn: Duration?
  /// True if the origin serves another version than this one now.
  package var isStale = false
  /// True if the origin sends the file only as a whole.
  package var lacksRanges = false
}

extension FillState {
  /// Returns the report for the status.
  package func report(at now: Duration) -> FillReport {
    var report = FillReport()
    report.readers = readers.windows.values.filter(\.hasRead).map { window in
      FillReport.Reader(
        position: window.next, ahead: layout.map { cached.ready(from: window.next, in: $0) } ?? 0)
    }.sorted { ($0.position, $0.ahead) < ($1.position, $1.ahead) }
    report.fetches = fetches.sorted { $0.key < $1.key }.map { _, fetch in
      FillReport.Fetch(bytes: fetch.bytes, position: fetch.position, hasBegun: fetch.began)
    }
    report.speed = throughput.rate(at: now)
    report.playRate = playRate
    report.waiting = waiting.count
    report.retryIn = trouble.wait(at: now)
    report.isStale = isStale
    report.lacksRanges = originLacksRanges
    return report
  }
}
