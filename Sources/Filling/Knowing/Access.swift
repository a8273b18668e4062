import Blocks

/// Whether the origin may be asked for bytes of a version, and why not.
struct Access: Sendable {
  var mode: NetworkMode
  /// True if the origin serves another version.
  var isStale = false
  /// True if nothing is requested any more, because the filler has ended.
  var hasEnded = false
  /// True if the origin sends only whole bodies. Then a single fetch brings all bytes from byte 0
  /// on, and all readers wait for it.
  var lacksRanges = false
  /// True while the length is not known, and `GrowthState` decides instead of `FillState`.
  var isGrowing = false
  var renewal = Renewal()

  init(mode: NetworkMode) {
    self.mode = mode
  }

  /// True if the origin may be asked now.
  var isOpen: Bool {
    // This is a pattern, because `==` would compare the names of the modes as texts, at each cached
    // read.
    guard case .online = mode else { return false }
    return !hasEnded && !isStale && !isGrowing && !renewal.isAwaited
  }

  /// The error with which a wait for bytes that are not cached ends at once; nil if they may still
  /// come.
  var refusal: ReadError? {
    isStale ? .changed : mode == .offline ? .offline : nil
  }

  /// Changes the network mode. Returns false if that changes nothing.
  mutating func turn(_ mode: NetworkMode) -> Bool {
    guard mode != self.mode, !hasEnded else { return false }
    self.mode = mode
    return true
  }

  /// Notes that the feed was asked for a new address. Returns true if the origin was not to be
  /// asked meanwhile.
  mutating func renewed() -> Bool {
    let wasAwaited = renewal.answered()
    // In any other mode the feed could not be asked, so the next `gone` asks it again.
    if mode != .online { renewal.settle() }
    return wasAwaited
  }

  /// Returns the deadline of a wait that began at `start`.
  func deadline(since start: Duration, _ rules: FillRules) -> Duration {
    start + (mode == .paused ? rules.waits.pauseTimeout : rules.waits.readTimeout)
  }
}
