import Blocks

/// Whether requests for bytes of a version are allowed now, and if not, why.
struct Access: Sendable {
  var mode: NetworkMode
  /// True if the origin serves another version now.
  var isStale = false
  /// True if nothing is requested any more, because the filler has ended.
  var hasEnded = false
  /// True if the origin serves no ranges, but only whole bodies. Then a single fetch brings all
  /// bytes from byte 0 on, and all readers wait for it.
  var lacksRanges = false
  /// True while the length is not known, and `GrowthState` decides instead of `FillState`.
  var isGrowing = false
  var renewal = Renewal()

  init(mode: NetworkMode) {
    self.mode = mode
  }

  /// True if requests to the origin are allowed now.
  var isOpen: Bool {
    // This matches a pattern, because `==` would compare the names of the modes as strings, at each
    // cached read.
    guard case .online = mode else { return false }
    return !hasEnded && !isStale && !isGrowing && !renewal.isAwaited
  }

  /// The error with which a read of bytes that are not cached fails at once; nil if the bytes can
  /// still come.
  var refusal: ReadError? {
    isStale ? .changed : mode == .offline ? .offline : nil
  }

  /// Changes the network mode. Returns false if that changes nothing.
  mutating func turn(_ mode: NetworkMode) -> Bool {
    guard mode != self.mode, !hasEnded else { return false }
    self.mode = mode
    return true
  }

  /// Notes that the request to the feed for a new address is over. Returns true if requests to the
  /// origin had to wait for it.
  mutating func renewed() -> Bool {
    let wasAwaited = renewal.answered()
    // In any mode but online, the feed could not be asked. So the next answer `gone` asks it again.
    if mode != .online { renewal.settle() }
    return wasAwaited
  }

  /// Returns the deadline of a wait that began at `start`.
  func deadline(since start: Duration, _ rules: FillRules) -> Duration {
    start + (mode == .paused ? rules.waits.pauseTimeout : rules.waits.readTimeout)
  }
}
