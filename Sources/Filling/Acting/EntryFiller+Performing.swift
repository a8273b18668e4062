import Locks

/// Performs the decided actions, and calls `tick` when its time has come.
extension EntryFiller {
  /// Asks the timekeeper for a call at the next wake, unless an earlier call is to come.
  ///
  /// - Parameter now: the time of the event. On a busy machine the wake that the event has set may
  ///   be past already. Then the call comes at once.
  func arm(after now: Duration) {
    call(at: state.withLock { $0.arm(after: now) })
  }

  /// Asks the timekeeper for a call at `wake`. Does nothing if it is nil.
  func call(at wake: Duration?) {
    guard let wake else { return }
    let delay = max(.zero, wake - timekeeper.now)
    timekeeper.call(after: delay) { [weak self] in self?.woken(by: wake) }
  }

  /// Runs `tick`, because the time `wake` has come. If another call was asked for meanwhile, it
  /// stays armed, so calls do not multiply.
  private func woken(by wake: Duration) {
    change { state, now in
      if state.armedFor == wake { state.armedFor = nil }
      return state.tick(now)
    }
  }

  /// Performs all decided actions, unless another thread is doing so.
  func perform() {
    guard var action = state.withLock({ $0.nextAction() }) else { return }
    while true {
      perform(action)
      let next = state.withLock { state in
        state.isPerforming = false
        return state.nextAction()
      }
      guard let next else { return }
      action = next
    }
  }

  private func perform(_ action: FillState.Action) {
    switch action {
    case .fetch(let fetch, let bytes, let urgency):
      origin.start(fetch, of: bytes, urgency: urgency, for: self)
    case .fetchTail(let fetch, let count): origin.startTail(fetch, of: count, for: self)
    case .cancel(let fetch): origin.cancel(fetch)
    case .promote(let fetch): origin.promote(fetch)
    case .resume(let wait): resume(wait)
    case .fail(let wait, let error):
      // The mount is told first, so that the reader finds the reason when it gets its error.
      if error == .unreachable { tell(.gaveUp) }
      fail(wait, error)
    case .renew: tell(.needsAddress)
    case .suspect(let ranges):
      state.withLock { $0.store }?.suspect(ranges)
      // The file may have been complete for long, but only from now on no bytes of it are suspect.
      if ranges.isEmpty, state.withLock({ $0.wasComplete }) { tell(.completed) }
    case .forget(let blocks, let read):
      let store = state.withLock { state in
        state.wasComplete = false
        return state.store
      }
      store?.forget(blocks)
      origin.wasWrong()
      tell(.wasWrong(blocks: blocks, read: read))
    case .becameStale: tell(.becameStale)
    case .played: tell(.played)
    case .compare(let comparison, let places): compare(comparison, places)
    case .ignoreTags: origin.ignoreTags()
    case .follow(let fetch, let offset): follow(fetch, from: offset)
    case .prove(let length): prove(length)
    case .tooLong: tellTooLong()
    case .quiet: tell(.quiet)
    }
  }

  /// Gives the receiver of `wait` what it waits for. If that is gone again, lets it wait on.
  private func resume(_ wait: FillState.WaitID) {
    let (waiter, store, representation, hasBegun) = state.withLock { state in
      state.reserved[wait] = false
      return (
        state.waiters.removeValue(forKey: wait), state.store, state.representation,
        state.growth?.hasBegun ?? true
      )
    }
    switch waiter?.need {
    case .proof(let receiver)?:
      if let representation {
        receiver.proved(representation)
      } else if let waiter, !hasBegun {
        return publish(waiter, as: wait)
      } else if let waiter, !receiver.grows() {
        return publish(waiter.needingProof(), as: wait)
      }
    case .bytes(let range, _, let receiver)?:
      guard let store, var waiter else { break }
      switch lend(range, of: store, to: receiver) {
      case .answered: break
      case .onDisk: return readFromDisk(waiter, of: store, as: wait)
      case .lost:
        waiter.losses += 1
        return publish(waiter, as: wait)
      }
    case nil: break
    }
    state.withLock { $0.reserved[wait] = nil }
  }

  private func fail(_ wait: FillState.WaitID, _ error: ReadError) {
    state.withLock { $0.waiters.removeValue(forKey: wait) }?.fail(error)
  }
}

extension EntryFiller.State {
  /// Returns the time of the next wake, and notes that a call will come then. Returns nil if no
  /// call is needed, or if an earlier one will come.
  mutating func arm(after now: Duration) -> Duration? {
    guard let wake = nextWake(after: now) else { return nil }
    if let armedFor, armedFor <= wake { return nil }
    armedFor = wake
    return wake
  }

  /// Returns the oldest action, which the caller must perform. Returns nil if there is none, or if
  /// another thread is performing one.
  mutating func nextAction() -> FillState.Action? {
    guard !isPerforming, !outbox.isEmpty else { return nil }
    isPerforming = true
    return outbox.removeFirst()
  }
}
