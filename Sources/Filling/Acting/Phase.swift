import Blocks

/// Whether the length of a version is known, and so which state decides about the version.
enum Phase: Sendable {
  /// The length is known, or no answer has come yet. `FillState` decides.
  case known
  /// The length is not known, and `GrowthState` decides. Meanwhile `FillState` only keeps account
  /// of the readers. It decides about them again once the length is known.
  case growing(GrowthState)
}

/// Passes each event to the state that decides in this phase.
extension EntryFiller.State {
  typealias Action = FillState.Action

  /// Calls `known` with `FillState` in the phase `known`, or `growing` with both states in the
  /// phase `growing`.
  ///
  /// `FillState` is not an associated value of the phase. Otherwise each cached read would move it
  /// out of the enum and back.
  mutating func decide<Answer>(
    _ known: (inout FillState) -> Answer,
    growing: (inout GrowthState, inout FillState) -> Answer
  ) -> Answer {
    switch phase {
    case .known: return known(&fill)
    case .growing(var growth):
      // `phase` is set to `known` meanwhile, so that it has no second copy of `growth`. Two copies
      // would share their arrays, so each change would have to copy these.
      phase = .known
      defer { phase = .growing(growth) }
      return growing(&growth, &fill)
    }
  }

  /// Passes `event` to `GrowthState`. Does nothing in the phase `known`.
  mutating func growing(_ event: (inout GrowthState) -> [Action]) -> [Action] {
    decide({ _ in [] }, growing: { growth, _ in event(&growth) })
  }

  /// A copy of `GrowthState`; nil in the phase `known`.
  var growth: GrowthState? {
    if case .growing(let growth) = phase { growth } else { nil }
  }

  /// True while the length is not known, and `GrowthState` decides.
  var isGrowing: Bool {
    if case .growing = phase { true } else { false }
  }

  /// The offset after the last byte that has come of a body of unknown length; nil in the phase
  /// `known`.
  var reached: Int? {
    if case .growing(let growth) = phase { growth.reached } else { nil }
  }

  // MARK: Readers

  mutating func opened(isScanner: Bool, isLooker: Bool) -> HandleID {
    decide {
      $0.opened(isScanner: isScanner, isLooker: isLooker)
    } growing: { growth, fill in
      let handle = fill.opened(isScanner: isScanner, isLooker: isLooker)
      growth.opened(handle, isScanner: isScanner)
      return handle
    }
  }

  mutating func closed(_ handle: HandleID, at now: Duration) -> [Action] {
    decide {
      $0.closed(handle, at: now)
    } growing: { growth, fill in
      growth.closed(handle, at: now)
      return fill.closed(handle, at: now)
    }
  }

  mutating func wants(_ waiter: Waiter, as wait: WaitID, at now: Duration) -> [Action] {
    decide(
      { waiter.wants(&$0, as: wait, at: now) },
      growing: { growth, _ in waiter.wants(&growth, as: wait, at: now) })
  }

  mutating func abandoned(_ wait: WaitID) -> [Action] {
    decide({ $0.abandoned(wait) }, growing: { $0.abandoned(wait) + $1.abandoned(wait) })
  }

  // MARK: The mount

  mutating func preloads(_ wanted: [Part], at now: Duration) -> [Action] {
    decide {
      $0.preloads(wanted, at: now)
    } growing: { growth, fill in
      growth.pins(wanted.contains(.whole), at: now) + fill.preloads(wanted, at: now)
    }
  }

  mutating func turned(_ mode: NetworkMode, at now: Duration) -> [Action] {
    decide {
      $0.turned(mode, at: now)
    } growing: { growth, fill in
      growth.turned(mode, at: now) + fill.turned(mode, at: now)
    }
  }

  mutating func renewed(changed: Bool, at now: Duration) -> [Action] {
    decide(
      { $0.renewed(changed: changed, at: now) },
      growing: { growth, _ in growth.renewed(changed: changed, at: now) })
  }

  mutating func becomeStale() -> [Action] {
    decide({ $0.becomeStale() }, growing: { growth, _ in growth.becomeStale() })
  }

  mutating func ended() -> [Action] {
    decide({ $0.ended() }, growing: { $0.ended() + $1.ended() })
  }

  mutating func tick(_ now: Duration) -> [Action] {
    decide({ $0.tick(now) }, growing: { growth, _ in growth.tick(now) })
  }

  // MARK: The origin and the store

  mutating func ended(_ fetch: FetchID, _ end: FetchEnd, at now: Duration) -> [Action] {
    decide(
      { $0.ended(fetch, end, at: now) },
      growing: { $0.ended(fetch, end, at: now) + $1.ended(fetch, end, at: now) })
  }

  mutating func lost(_ blocks: [BlockIndex], at now: Duration) -> [Action] {
    decide({ $0.lost(blocks, at: now) }, growing: { growth, _ in growth.lost(blocks, at: now) })
  }

  mutating func doubted(at now: Duration) -> [Action] {
    decide({ $0.doubted(at: now) }, growing: { _, _ in [] })
  }

  // MARK: Facts

  mutating func accepts(_ fetch: FetchID) -> Bool {
    decide({ $0.accepts(fetch) }, growing: { growth, _ in growth.accepts(fetch) })
  }

  mutating func nextWake(after now: Duration) -> Duration? {
    decide({ $0.nextWake(after: now) }, growing: { growth, _ in growth.nextWake(after: now) })
  }

  mutating func report(at now: Duration) -> FillReport {
    decide({ $0.report(at: now) }, growing: { growth, _ in growth.report(at: now) })
  }

  var isFetching: Bool {
    mutating get {
      decide({ $0.isFetching }, growing: { growth, _ in growth.isFetching })
    }
  }

  /// Whether requests to the origin and to the feed are allowed, as told by the state that decides
  /// in this phase.
  var access: Access {
    mutating get {
      decide({ $0.access }, growing: { growth, _ in growth.access })
    }
  }

  /// Updates the buffering state. Returns true if it has changed.
  mutating func hasChangedState() -> Bool {
    let before = bufferState
    if !isGrowing, !fill.waiting.isEmpty {
      bufferState = .starved
    } else {
      bufferState = decide({ $0.bufferState }, growing: { growth, _ in growth.bufferState })
    }
    return bufferState != before
  }

  /// The length of the version in bytes. While it is not known, this is `maxGrowth`, the length of
  /// the longest body that feedfs reads. Before the first answer, it is 0.
  var length: Int {
    fill.layout?.length ?? growth?.layout.length ?? 0
  }
}
