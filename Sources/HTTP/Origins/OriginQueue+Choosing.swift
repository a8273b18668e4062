/// Chooses the transfer that starts next.
extension OriginQueue {
  mutating func insert(_ transfer: Waiting) {
    let index = waiting.firstIndex { transfer.priority < $0.priority }
    waiting.insert(transfer, at: index ?? waiting.endIndex)
  }

  /// Returns the index of the transfer that can start now; nil if there is none.
  func next(at now: Instant) -> Int? {
    switch status.reach {
    case .reachable, .unknown:
      guard running.count < Self.maxRunning else { return nil }
      let active = running.values.count { now - $0.lastProgress < Self.silence }
      guard active < Self.places else { return nil }
      if turns.trial != nil || turns.isSingle(at: now) { return nextInTurn(at: now) }
      guard let first = waiting.first else { return nil }
      return first.priority < .background || hasRoomInTheBackground ? waiting.startIndex : nil
    case .unreachable(_, let nextProbe, _):
      if let index = waiting.firstIndex(where: \.failsFast) { return index }
      guard nextProbe <= now, running.values.count(where: { isOut($0, at: now) }) < Self.maxProbes
      else { return nil }
      return waiting.indices.min { rank(waiting[$0]) < rank(waiting[$1]) }
    }
  }

  private func rank(_ transfer: Waiting) -> (Int, Int) {
    (transfer.priority == .demand ? 0 : 1, transfer.tries)
  }

  /// Whether a background transfer can start without hindering any other transfer.
  private var hasRoomInTheBackground: Bool {
    running.isEmpty
      || status.idle > 0
        && running.values.count { $0.waiting.priority == .background } < Self.backgroundPlaces
  }

  /// Whether a transfer is a probe that started so recently that its answer can still come soon.
  func isOut(_ transfer: Running, at now: Instant) -> Bool {
    transfer.isProbe && now - transfer.started < Self.probeTime
  }

  mutating func begin(_ transfer: Waiting, at now: Instant) {
    var transfer = transfer
    transfer.tries += 1
    transfer.isTurnedAway = false
    status.keep(max(0, status.idle - 1))
    status.requests += 1
    secondAsks.started()
    var isProbe = false
    if case .unreachable(let reason, _, let probes) = status.reach {
      isProbe = true
      status.reach = .unreachable(
        reason: reason, nextProbe: now + pause(after: probes + 1), probes: probes + 1)
    }
    turns.started(transfer.id)
    running[transfer.id] = Running(
      waiting: transfer, started: now, lastProgress: now, isProbe: isProbe)
  }
}
