import Blocks

/// Decides when the first fetch after a seek starts, and over which connections.
///
/// Linux asks for its read-ahead in requests of `FillRules.kernelRead`, and different threads bring
/// them. So the second request of a seek may come first. A fetch from there on would lack the bytes
/// of the first request, and these would need another fetch over another connection.
extension FillState {
  /// Starts the fetches for a new read. Holds it if it may be the second request of a seek.
  mutating func demand(
    _ range: ByteRange, by handle: HandleID, as wait: WaitID, at now: Duration
  ) -> [Action] {
    if let hold = seeks.hold, hold.handle == handle, range.upperBound == hold.bytes.lowerBound {
      // The fetch for this read brings the bytes of the held one, too. So it must be first, even if
      // the timer is late.
      seeks.hold?.end = now + rules.seeks.hold
      let first = demand(at: now)
      seeks.hold = nil
      return first + demand(at: now)
    }
    seeks.hold = nil
    let time = min(rules.seeks.hold, lanes.speed.latency * Self.shareOfLatency)
    if time >= Self.minHold, mayBeSecond(range, by: handle) {
      seeks.hold = Seeks.Hold(wait: wait, handle: handle, bytes: range, end: now + time)
    }
    return demand(at: now)
  }

  /// True if the reader of `handle` has sought to `range`, and may have asked for the bytes just
  /// before it, too.
  private func mayBeSecond(_ range: ByteRange, by handle: HandleID) -> Bool {
    guard range.count == rules.seeks.kernelRead, range.lowerBound > 0, !isThere(range),
      readers.windows[handle]?.hasOnly(range) ?? false
    else { return false }
    return !isThere(max(0, range.lowerBound - rules.seeks.kernelRead)..<range.lowerBound)
  }

  /// Asks for the end of a fetch at once, over a new connection, while the fetch waits for the only
  /// one. That costs no byte more, and no seek after this one has to wait.
  ///
  /// - Parameter run: the blocks of the fetch.
  mutating func openSecond(
    for wait: Wait, of run: Range<BlockIndex>, in layout: BlockLayout, at now: Duration
  ) -> [Action] {
    let bytes = layout.bytes(of: run)
    let end = (wait.bytes?.lowerBound ?? 0) + wait.extent / 4 * 3
    guard wait.isSeek, !seeks.hasHadTwo, trouble.failing == nil, end < bytes.upperBound,
      !(preloading.index?.overlaps(bytes) ?? false)
    else { return [] }
    let split = max(layout.block(at: end), run.lowerBound)
    guard split > run.lowerBound else { return [] }
    // As a reader's request it opens a connection only where requests cannot share one.
    let action = start(layout.bytes(of: split..<run.upperBound), .demand, at: now)
    seeks.second = lastFetch
    return [action]
  }

  /// True if the second connection of the file is being opened.
  var isOpeningSecond: Bool {
    seeks.second.flatMap { fetches[$0] }.map { !$0.began } ?? false
  }

  /// The share of a round trip that a read may be held.
  private static let shareOfLatency = 0.04
  /// Holding a read for less than this is not worth a timer. A new connection costs little then.
  private static let minHold = Duration.microseconds(40)
}
