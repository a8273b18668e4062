import Locks

/// Performs the actions that the state has decided on, and calls `tick` at the times that
/// `nextWake` returns.
extension EntryFiller {
  /// Asks the timekeeper for a call at the time of `nextWake`, unless it will call earlier anyway.
  ///
  /// - Parameter now: the time of the last event. On a busy machine, the time of `nextWake` can
  ///   have passed since that event. Then the call comes at once.
  func arm(after now: Duration) {
    call(at: state.withLock { $0.arm(after: now) })
  }

  /// Asks the timekeeper for a call at `wake`. Does nothing if `wake` is nil.
  func call(at wake: Duration?) {
    guard let wake else { return }
    let delay = max(.zero, wake - timekeeper.now)
    timekeeper.call(after: delay) { [weak self] in self?.woken(by: wake) }
  }

  /// Runs `tick`, because the time `wake` has come. `armedFor` stays as it is if it names another
  /// call. That call will still come, so it must not be requested twice.
  private func woken(by wake: Duration) {
    change { state, now in
      if state.armedFor == wake { state.armedFor = nil }
      return state.tick(now)
    }
  }

  /// Performs all actions in `outbox`, unless another thread is already doing so.
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
      // The mount is told before the read fails, so that the reason is known when the reader gets
      // its error.
      if error == .unreachable { tell(.gaveUp) }
      fail(wait, error)
    case .renew: tell(.needsAddress)
    case .suspect(let ranges):
      state.withLock { $0.store }?.suspect(ranges)
      // All blocks were cached before, but some bytes were suspect. None are suspect now, so the
      // file is reported as complete again.
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

  /// Gives the receiver of `wait` the bytes or the proved version that it waits for. If these are
  /// no longer there, the wait goes on.
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
  /// Returns the time at which the timekeeper must call, and notes it in `armedFor`. Returns nil if
  /// no call is needed, or if an earlier call will come anyway.
  mutating func arm(after now: Duration) -> Duration? {
    guard let wake = nextWake(after: now) else { return nil }
    if let armedFor, armedFor <= wake { return nil }
    armedFor = wake
    return wake
  }

  /// Removes the oldest action from `outbox` and returns it, for the caller to perform. Returns nil
  /// if there is none, or if another thread is performing an action.
  mutating func nextAction() -> FillState.Action? {
    guard !isPerforming, !outbox.isEmpty else { return nil }
    isPerforming = true
    return outbox.removeFirst()
  }
}
