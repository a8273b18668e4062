package import Blocks

/// Facts about the file as it is now.
extension FillState {
  /// True if every byte of `range` can be read now. Allocates nothing.
  package func holds(_ range: ByteRange) -> Bool {
    isThere(range) && !isWithheld(range)
  }

  /// True if every byte of `range` has come, even if it is suspect.
  func isThere(_ range: ByteRange) -> Bool {
    guard let layout else { return false }
    let range = range.clamped(to: 0..<layout.length)
    var blocks = layout.blocks(touching: range)
    while let missing = held.firstMissing(in: blocks) {
      let start = missing.value * layout.blockSize
      let needed = min(range.upperBound - start, layout.blockSize)
      guard partial[missing, default: 0] >= needed else { return false }
      blocks = missing.advanced(by: 1)..<blocks.upperBound
    }
    return true
  }

  package var isComplete: Bool {
    layout.map { held.contains(all: $0.all) } ?? false
  }

  /// Bytes a second at which the file plays, if known.
  var playRate: Int? {
    guard let layout, let duration, duration >= .seconds(1) else { return nil }
    return Int(Double(layout.length) / (duration / .seconds(1)))
  }

  package var isFetching: Bool { !fetches.isEmpty || tags.comparison != nil }
  package var waitingCount: Int { waiting.count }
  package var hasHandles: Bool { !windows.isEmpty }
  package var isOpen: Bool { hasHandles || !unseen.isEmpty || !scanners.isEmpty }

  /// True if `fetch` is still under way, and not cancelled.
  package func accepts(_ fetch: FetchID) -> Bool {
    fetches[fetch] != nil
  }

  /// Returns the time of the next call of `tick`; nil if none is needed.
  package func nextWake(after now: Duration) -> Duration? {
    let play = unseen.values.filter { $0 > now }.min()
    let retry = trouble.map(\.notBefore).flatMap { $0 > now ? $0 : nil }
    let check = isWrong || !suspects.isEmpty && isOpen ? retry : nil
    let reopening = isFetching ? reopeningEnd : nil
    guard let deadline = waiting.values.map(\.deadline).min() else {
      return [play, check, reopening].compactMap(\.self).min()
    }
    let again = (putOff?.upperBound).flatMap { $0 > now ? $0 : nil }
    let grace = graceEnd.flatMap { $0 > now ? $0 : nil }
    let held = (hold?.end).flatMap { $0 > now ? $0 : nil }
    return [
      deadline, retry, play, again, grace, held, endOfWithholding, nextTakeover(after: now),
      reopening,
    ].compactMap(\.self).min()
  }
}
