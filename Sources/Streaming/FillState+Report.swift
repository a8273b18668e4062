import Blocks

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
