package import Blocks

/// What fills a file, and who reads it: for the status.
package struct FillReport: Hashable, Sendable {
  /// Who reads.
  package struct Reader: Hashable, Sendable {
    /// Where he would read next.
    package let position: Int
    /// Bytes from there on that he need not wait for.
    package let ahead: Int
  }

  /// What is under way.
  package struct Fetch: Hashable, Sendable {
    /// What was asked for.
    package let bytes: ByteRange
    /// Up to where bytes have come.
    package let position: Int
    /// Whether its answer has begun.
    package let hasBegun: Bool
  }

  /// By position.
  package var readers: [Reader] = []
  package var fetches: [Fetch] = []
  /// Bytes a second that come.
  package var speed = 0
  /// Bytes a second at which the file plays, where that is known.
  package var playRate: Int?
  /// Reads that wait.
  package var waiting = 0
  /// When what failed is asked for again; nil: nothing has failed.
  package var retryIn: Duration?
  /// The origin has another version now.
  package var isSuperseded = false
  /// The origin sends it from its beginning on only.
  package var lacksRanges = false

  package init() {}
}

extension FillState {
  /// What is under way, for people.
  package func report(at now: Duration) -> FillReport {
    var report = FillReport()
    report.readers = windows.values.filter(\.hasRead).map { window in
      FillReport.Reader(position: window.next, ahead: ready(from: window.next))
    }.sorted { ($0.position, $0.ahead) < ($1.position, $1.ahead) }
    report.fetches = fetches.sorted { $0.key < $1.key }.map { _, fetch in
      FillReport.Fetch(bytes: fetch.bytes, position: fetch.position, hasBegun: fetch.began)
    }
    report.speed = throughput.rate(at: now)
    report.playRate = playRate
    report.waiting = waiting.count
    report.retryIn = trouble.map { max(.zero, $0.notBefore - now) }
    report.isSuperseded = isSuperseded
    report.lacksRanges = originLacksRanges
    return report
  }

  /// Bytes in a row from `offset` on that are there.
  private func ready(from offset: Int) -> Int {
    guard let layout, offset < layout.length else { return 0 }
    let block = layout.block(at: offset)
    let end = layout.all.upperBound
    let missing = held.firstMissing(in: block..<end)
    guard let missing else { return layout.length - offset }
    let edge = layout.bytes(of: missing).lowerBound + partial[missing, default: 0]
    return max(0, edge - offset)
  }
}
