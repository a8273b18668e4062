import Blocks

/// Decides when the first fetch after a seek starts, and over which connections.
///
/// Linux splits its read-ahead into requests of `FillRules.Seeking.kernelRead` bytes, which come
/// from different threads. So the second request of a seek may come first. A fetch that begins at
/// the second request lacks the bytes of the first one. These bytes would need another fetch over
/// another connection.
extension FillState {
  /// Starts the fetches for the new read `wait`. Delays this for a moment if the read may be the
  /// second request of a seek.
  mutating func demand(
    _ range: ByteRange, by handle: HandleID, as wait: WaitID, at now: Duration
  ) -> [Action] {
    if let hold = seeks.hold, hold.handle == handle, range.upperBound == hold.bytes.lowerBound {
      // The fetch for this read also brings the bytes of the read that is held. So this fetch must
      // start first, even if the timer is late.
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

  /// Returns whether the reader of `handle` has sought, and `range` may be the second request of
  /// that seek.
  private func mayBeSecond(_ range: ByteRange, by handle: HandleID) -> Bool {
    guard range.count == rules.seeks.kernelRead, range.lowerBound > 0, !isThere(range),
      readers.windows[handle]?.hasOnly(range) ?? false
    else { return false }
    return !isThere(max(0, range.lowerBound - rules.seeks.kernelRead)..<range.lowerBound)
  }

  /// Fetches the last quarter of a put-off fetch at once, over a new connection. The first three
  /// quarters wait for the only connection. That costs no extra bytes, and no later seek has to
  /// wait.
  ///
  /// - Parameter run: the blocks of the put-off fetch.
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
    // A `demand` request opens a new connection, unless requests can share one (HTTP/2).
    let action = start(layout.bytes(of: split..<run.upperBound), .demand, at: now)
    seeks.second = lastFetch
    return [action]
  }

  /// True if the second connection of the file is being opened.
  var isOpeningSecond: Bool {
    seeks.second.flatMap { fetches[$0] }.map { !$0.began } ?? false
  }

  /// A read is held (`Seeks.hold`) for at most this share of a round trip.
  private static let shareOfLatency = 0.04
  /// The shortest hold that is worth a timer. If the hold would be shorter, the round trip is so
  /// short that a new connection costs little.
  private static let minHold = Duration.microseconds(40)
}
