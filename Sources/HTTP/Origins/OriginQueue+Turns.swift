/// Handles requests that the origin turns away, perhaps because it serves only one request at a
/// time (`Turns`).
extension OriginQueue {
  /// Notes that the origin serves the transfer: the head of its answer was accepted.
  mutating func serves(_ id: TransferID, at now: Instant) {
    guard running[id] != nil else { return }
    let isAlone = !running.contains { other, transfer in
      other != id && transfer.servedAt.map { now - $0 < Turns.together } ?? false
    }
    running[id]?.acceptedAt = now
    running[id]?.servedAt = now
    guard turns.served(id, isAlone: isAlone, at: now) else { return }
    for index in waiting.indices { waiting[index].isTurnedAway = false }
  }

  /// Notes that bytes of an accepted answer came. If several transfers have got bytes for a while,
  /// the origin does not serve one at a time.
  mutating func isServed(_ id: TransferID, at now: Instant) {
    running[id]?.servedAt = now
    guard turns.mayBeDisproved else { return }
    let served = running.values.count { transfer in
      guard let accepted = transfer.acceptedAt, let last = transfer.servedAt else { return false }
      return now - accepted >= Turns.together && now - last < Turns.together
    }
    if served > 1 { turns.servesSeveral(at: now) }
  }

  /// Handles a transfer that was turned away, perhaps because the origin was serving another one.
  /// Returns true if the transfer waits for its turn. Then the answer that turned it away does not
  /// count yet.
  ///
  /// - Parameters:
  ///   - wait: the pause that the origin asked for; nil if it asked for none.
  ///   - isBusy: true if the answer says that the same request will succeed later.
  mutating func turnedAway(
    _ id: TransferID, for wait: Duration?, isBusy: Bool, at now: Instant
  ) -> Bool {
    guard let transfer = running[id] else { return false }
    guard turns.trial?.id == id || servesOthers(than: id, since: transfer.started, at: now),
      turns.trial?.id == id || isWorthATrial(transfer.waiting, isBusy: isBusy, at: now),
      turns.turnedAway(id, for: wait, isBusy: isBusy, at: now)
    else { return false }
    _ = leave(id, at: now)
    secondAsks.settled(id)
    if isBusy { self.isBusy(for: wait, isSaid: true, at: now) }
    var waiting = transfer.waiting
    waiting.isTurnedAway = true
    insert(waiting)
    return true
  }

  /// Notes that a transfer has ended without an accepted answer. If it was a trial, the trial has
  /// failed.
  mutating func failed(_ id: TransferID, at now: Instant) {
    if turns.trial?.id == id, turns.trial?.isRunning == true { turns.failed(at: now) }
  }

  /// Removes and returns the transfers that were turned away and do not wait for a trial any more.
  /// The answers that turned them away count now.
  mutating func refused(at now: Instant) -> [TransferID] {
    if turns.isOver(at: now) { turns.failed(at: now) }
    guard turns.trial == nil else { return [] }
    let refused = waiting.filter(\.isTurnedAway).map(\.id)
    waiting.removeAll(where: \.isTurnedAway)
    return refused
  }

  /// Returns the index of the transfer that can start now, while there is a trial or the origin
  /// gets one request at a time; nil if there is none.
  func nextInTurn(at now: Instant) -> Int? {
    if let trial = turns.trial, let index = waiting.firstIndex(where: { $0.id == trial.id }) {
      let isAlone = running.values.allSatisfy { now - $0.lastProgress >= Self.silence }
      if isAlone, trial.begins <= now, hasRested(Self.trialPause, at: now) { return index }
    }
    guard !turns.holds(at: now), let index = waiting.firstIndex(where: { !$0.isTurnedAway }) else {
      return nil
    }
    guard turns.isSingle(at: now) else { return index }
    if running.isEmpty { return hasRested(Self.turnPause, at: now) ? index : nil }
    let next = waiting[index]
    return isImpatient(next) && next.since + Self.maxTurnWait <= now ? index : nil
  }

  /// Returns the next time at which a transfer can start without an event before; nil if there is
  /// none.
  func nextTurn(after now: Instant) -> Instant? {
    guard turns.trial != nil || turns.isSingle(at: now) else { return nil }
    var times: [Instant] = []
    if let trial = turns.trial {
      times += [trial.begins, trial.begins + Turns.maxWait, trial.ends]
    }
    if let end = lastEnd?.at { times += [end + Self.trialPause, end + Self.turnPause] }
    times += waiting.lazy.filter(isImpatient).map { $0.since + Self.maxTurnWait }
    return times.lazy.filter { $0 > now }.min()
  }

  /// Removes a transfer from the running ones, and returns it; nil if it does not run.
  mutating func leave(_ id: TransferID, at now: Instant) -> Running? {
    guard let transfer = running.removeValue(forKey: id) else { return nil }
    let served = [lastEnd?.servedAt, transfer.servedAt].compactMap(\.self).max()
    lastEnd = (now, served)
    return transfer
  }

  /// Whether the origin was probably serving another transfer when it turned `id` away.
  ///
  /// - Parameter started: the time when the request of `id` was sent.
  private func servesOthers(than id: TransferID, since started: Instant, at now: Instant) -> Bool {
    let others = running.filter { $0.key != id }.values
    let last = (others.map(\.servedAt) + [lastEnd?.servedAt]).compactMap(\.self).max()
    guard let last else { return false }
    // A server can need a moment to notice that a transfer has ended.
    let moment = turns.isSingle(at: now) ? Self.silence : Self.trialPause
    if last >= started - moment { return true }
    // Perhaps the origin serves another transfer whose request was sent at the same time, though
    // its head has not come yet.
    return now - last < Self.silence && others.contains { $0.acceptedAt == nil }
  }

  /// Whether a trial of this transfer is worth it that others wait. A lane that the origin told to
  /// come later needs no trial, because it asks again by itself.
  private func isWorthATrial(_ transfer: Waiting, isBusy: Bool, at now: Instant) -> Bool {
    turns.isSingle(at: now)
      || transfer.priority == .demand || !isBusy && transfer.priority == .ahead
  }

  /// Whether a caller waits for the answer.
  private func isImpatient(_ transfer: Waiting) -> Bool {
    transfer.priority == .demand || transfer.failsFast
  }

  private func hasRested(_ time: Duration, at now: Instant) -> Bool {
    lastEnd.map { $0.at + time <= now } ?? true
  }

  /// The pause between the end of the last transfer and a trial. The server needs it to notice that
  /// end.
  private static let trialPause = Duration.milliseconds(250)
  private static let turnPause = Duration.milliseconds(50)
  /// The longest time for which a transfer waits for its turn, if a caller waits for its answer.
  private static let maxTurnWait = Duration.seconds(20)
}
