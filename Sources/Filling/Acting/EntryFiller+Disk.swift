import Locks

/// Serves reads of cached bytes that the store must first read from the disk. Such a read waits
/// without blocking the caller's thread, as a read from the origin does.
extension EntryFiller {
  /// Reads the bytes of `waiter` from the disk, and passes them to its receiver, without a time
  /// limit. `cancel` and `end` can end the wait earlier. The caller must have announced the wait to
  /// the receiver (`willWait`) before.
  func readFromDisk(_ waiter: Waiter, of store: any BlockStore, as wait: FillState.WaitID) {
    guard case .bytes(let range, _, let receiver) = waiter.need else { return }
    let (length, error) = state.withLock { state -> (Int, ReadError?) in
      let isCancelled = state.reserved.removeValue(forKey: wait) ?? false
      let error: ReadError? = isCancelled ? .interrupted : state.fill.hasEnded ? .ended : nil
      if error == nil { state.diskWaits[wait] = receiver }
      return (state.length, error)
    }
    if let error { return receiver.fail(error) }
    store.lendFromDisk(range.clamped(to: 0..<length)) { [self] bytes in
      _ = endDiskWait(wait)?.receive(bytes)
    } orLose: { [self] blocks in
      lost(blocks)
      fetchInstead(waiter, as: wait)
    }
  }

  /// Removes the wait for the disk with the identifier `wait`, and returns its receiver. Returns
  /// nil if that wait has already ended.
  func endDiskWait(_ wait: FillState.WaitID) -> (any ByteReceiver)? {
    state.withLock { $0.diskWaits.removeValue(forKey: wait) }
  }

  /// Fails all waits for the disk with `ended`, because the filler ends.
  func endDiskWaits() {
    let receivers = state.withLock { state in
      defer { state.diskWaits = [:] }
      return state.diskWaits.values
    }
    for receiver in receivers { receiver.fail(.ended) }
  }

  /// Fetches the bytes of `waiter` from the origin, because the disk lacks them. The deadline
  /// counts from now on, so the time spent on the disk does not shorten it.
  private func fetchInstead(_ waiter: Waiter, as wait: FillState.WaitID) {
    let isWaiting = state.withLock { state in
      guard state.diskWaits.removeValue(forKey: wait) != nil else { return false }
      state.reserved[wait] = false
      return true
    }
    guard isWaiting else { return }
    let now = timekeeper.now
    publish(Waiter(need: waiter.need, start: now, losses: waiter.losses + 1), as: wait)
  }
}
