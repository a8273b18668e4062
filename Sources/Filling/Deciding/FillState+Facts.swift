package import Blocks

/// Facts about the file as it is now.
extension FillState {
  /// Returns whether every byte of `range` can be read now. Allocates nothing.
  package func holds(_ range: ByteRange) -> Bool {
    isThere(range) && !isWithheld(range)
  }

  /// Returns whether every byte of `range` is cached, even if some must not be read before a
  /// comparison.
  func isThere(_ range: ByteRange) -> Bool {
    guard let layout else { return false }
    let range = range.clamped(to: 0..<layout.length)
    // Most reads are of complete blocks, so these are looked at first.
    return cached.whole.contains(all: layout.blocks(touching: range))
      || cached.firstMissing(in: range, of: layout) == nil
  }

  /// The complete blocks that the store has.
  package var cachedBlocks: BlockSet { cached.whole }

  /// True if all blocks are complete.
  package var isComplete: Bool {
    // Most incomplete files lack the last block, so it is looked at first.
    guard let layout, layout.count > 0 else { return layout != nil }
    return cached.whole.contains(BlockIndex(layout.count - 1))
      && cached.whole.contains(all: layout.all)
  }

  /// True if the origin serves another version than this one now.
  package var isStale: Bool { access.isStale }
  package var mode: NetworkMode { access.mode }
  /// True if the origin serves no ranges, but only whole bodies.
  package var originLacksRanges: Bool { access.lacksRanges }
  /// True after `ended()`: nothing waits and nothing is fetched any more.
  var hasEnded: Bool { access.hasEnded }

  /// The playing time of the file; nil if it is not known.
  package var duration: Duration? {
    get { preloading.duration }
    set { preloading.duration = newValue }
  }

  /// The rate at which the file plays, in bytes a second; nil if it is not known.
  var playRate: Int? {
    guard let layout, let duration, duration >= .seconds(1) else { return nil }
    return Int(Double(layout.length) / (duration / .seconds(1)))
  }

  package var isFetching: Bool { !fetches.isEmpty || tags.comparison != nil }
  package var waitingCount: Int { waiting.count }
  package var hasHandles: Bool { readers.hasHandles }
  package var isOpen: Bool { readers.areAny }
  /// True if the last reader that closed the file had read to its end. Readers that read no further
  /// than their first fetch do not count.
  package var isPlayedToEnd: Bool { readers.isPlayedToEnd }

  /// Returns whether `fetch` has neither ended nor been cancelled.
  package func accepts(_ fetch: FetchID) -> Bool {
    fetches.has(fetch)
  }

  /// Returns the time of the next call of `tick`; nil if none is needed.
  package func nextWake(after now: Duration) -> Duration? {
    var wake = FirstTime()
    wake.note(readers.nextPlay(after: now))
    wake.note(isFetching ? readers.reopeningEnd : nil)
    guard !waiting.isEmpty else {
      if suspects.areWrong || !suspects.isEmpty && isOpen { wake.note(trouble.retry(after: now)) }
      return wake.time
    }
    for wait in waiting.values { wake.note(wait.deadline) }
    wake.note(trouble.retry(after: now))
    wake.note(seeks.wake(after: now))
    wake.note(ahead.wake(after: now))
    wake.note(suspects.endOfWithholding)
    wake.note(nextTakeover(after: now))
    return wake.time
  }

  /// The earliest of several times, found without a list of them.
  private struct FirstTime {
    private(set) var time: Duration?

    mutating func note(_ other: Duration?) {
      guard let other else { return }
      time = time.map { min($0, other) } ?? other
    }
  }
}
