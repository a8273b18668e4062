import Locks

/// Serves reads of cached bytes that must first come from the disk. Such reads wait like those from
/// the origin, and block no thread of the caller.
extension EntryFiller {
  /// Gives `waiter` its bytes when the disk has returned them, however long that takes. `cancel` or
  /// `end` can end the wait earlier. Before this call, the receiver must have been told of the wait
  /// (`willWait`).
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

  /// Ends the wait for the disk that `wait` names, and returns its receiver; nil if it has ended
  /// before.
  func endDiskWait(_ wait: FillState.WaitID) -> (any ByteReceiver)? {
    state.withLock { $0.diskWaits.removeValue(forKey: wait) }
  }

  /// Ends all waits for the disk, because the filler ends.
  func endDiskWaits() {
    let receivers = state.withLock { state in
      defer { state.diskWaits = [:] }
      return state.diskWaits.values
    }
    for receiver in receivers { receiver.fail(.ended) }
  }

  /// Fetches bytes that the disk lacks. The deadline counts from now on, because the time that the
  /// disk took does not count.
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
