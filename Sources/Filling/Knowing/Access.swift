import Blocks

/// The answer to one question: may the origin be asked for bytes of a version?
struct Access: Sendable {
  var mode: NetworkMode
  /// True if the origin serves another version.
  var isStale = false
  /// True if nothing is asked for any more, for good.
  var hasEnded = false
  /// True if the origin sends only whole bodies. Then one fetch begins at byte 0, and all readers
  /// wait for it.
  var lacksRanges = false
  /// True while a body without length is fetched, and `GrowthState` decides.
  var isGrowing = false
  var renewal = Renewal()

  init(mode: NetworkMode) {
    self.mode = mode
  }

  /// True if the origin may be asked now.
  var isOpen: Bool {
    // A pattern compares only the case. `==` would compare the texts of the cases at each cached
    // read.
    guard case .online = mode else { return false }
    return !hasEnded && !isStale && !isGrowing && !renewal.isAwaited
  }

  /// The error of a wait for bytes that are not cached; nil if they may come.
  var refusal: ReadError? {
    isStale ? .changed : mode == .offline ? .offline : nil
  }

  /// Changes the mode. Returns false if that changes nothing.
  mutating func turn(_ mode: NetworkMode) -> Bool {
    guard mode != self.mode, !hasEnded else { return false }
    self.mode = mode
    return true
  }

  /// Notes that the feed was asked for a new address. Returns true if nothing else was asked
  /// meanwhile.
  mutating func renewed() -> Bool {
    let wasAwaited = renewal.answered()
    // The feed could not be asked in another mode, so the next `gone` asks it again.
    if mode != .online { renewal.settle() }
    return wasAwaited
  }

  /// Returns the deadline of a wait that began at `start`.
  func deadline(since start: Duration, _ rules: FillRules) -> Duration {
    start + (mode == .paused ? rules.waits.pauseTimeout : rules.waits.readTimeout)
  }
}
