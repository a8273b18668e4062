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
    // The last block tells most files that are not complete from those that are.
    guard let layout, layout.count > 0 else { return layout != nil }
    return held.contains(BlockIndex(layout.count - 1)) && held.contains(all: layout.all)
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
    fetches.has(fetch)
  }

  /// Returns the time of the next call of `tick`; nil if none is needed.
  package func nextWake(after now: Duration) -> Duration? {
    var wake = Wake(after: now)
    for play in unseen.values { wake.later(play) }
    wake.any(isFetching ? reopeningEnd : nil)
    guard !waiting.isEmpty else {
      if isWrong || !suspects.isEmpty && isOpen { wake.later(trouble?.notBefore) }
      return wake.first
    }
    for wait in waiting.values { wake.any(wait.deadline) }
    wake.later(trouble?.notBefore)
    wake.later(putOff?.upperBound)
    wake.later(graceEnd)
    wake.later(hold?.end)
    wake.any(endOfWithholding)
    wake.any(nextTakeover(after: now))
    return wake.first
  }

  /// The first of several times.
  private struct Wake {
    let now: Duration
    private(set) var first: Duration?

    init(after now: Duration) {
      self.now = now
    }

    mutating func any(_ time: Duration?) {
      guard let time else { return }
      first = first.map { min($0, time) } ?? time
    }

    /// Takes `time` unless it is past.
    mutating func later(_ time: Duration?) {
      if let time, time > now { any(time) }
    }
  }
}
