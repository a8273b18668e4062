import Addresses
import CCurl
import Locks

/// Handles the bytes, heads and ends that libcurl reports.
extension TransferLoop {
  // MARK: News

  /// Notes the bytes and heads that came since the last turn, for each running transfer.
  func collectProgress() {
    let before = now
    now = .now
    // A long turn means that a sink waited for its disk and held up every transfer. So no transfer
    // counts as silent.
    let wasHeldUp = now - before > .seconds(1)
    var heard: Set<OriginName> = []
    if wasHeldUp { for origin in queues.keys { queues[origin]?.heldUp(at: now) } }
    for transfer in Array(running.values) where transfers[transfer.id] === transfer {
      if wasHeldUp || transfer.isHeld { transfer.lastHeard = now }
      if let connection = transfer.takeConnection() { connected(transfer, connection) }
      if transfer.isHeld { queues[transfer.url.origin]?.progressed(transfer.id, bytes: 0, at: now) }
      guard let (bytes, headCame) = transfer.takeNews() else { continue }
      transfer.exchange.rest()
      transfer.lastHeard = now
      if transfer.isOver, transfer.overSince == nil { transfer.overSince = now }
      let origin = transfer.url.origin
      queues[origin]?.progressed(transfer.id, bytes: bytes, at: now)
      heard.insert(origin)
      multi.sockets.heard(
        transfer.id, isShared: headCame ? transfer.easy?.isShared : nil, at: now)
      if headCame { headArrived(of: transfer) }
    }
    heard.forEach(publish)
  }

  /// Notes that a request was sent over `connection`.
  private func connected(_ transfer: Transfer, _ connection: Transfer.Connecting) {
    let origin = transfer.url.origin
    // From now on, the transfer waits for its answer.
    transfer.lastHeard = now
    if connection.use == .reused { queues[origin]?.sentOnReused(transfer.id, at: now) }
    winRace(transfer)
    guard connection.use == .new, transfer.role != .racer, let first = connection.first,
      let winner = connection.winner
    else { return }
    races.ended(at: origin, first: first, winner: winner)
  }

  private func headArrived(of transfer: Transfer) {
    transfer.keepCookies()
    if let asked = transfer.askedAt {
      headTimeouts.answered(transfer.url.origin, after: now - asked)
    }
    queues[transfer.url.origin]?.answered(transfer.id, at: now)
    if transfer.isAccepted { queues[transfer.url.origin]?.serves(transfer.id, at: now) }
    http3.announced(transfer.alternatives, by: transfer.url.origin, at: now)
    if meter.allowance.wasLimited { transfer.easy?.narrow(to: meter.allowance.window) }
    if transfer.isAccepted, transfer.hops > 0, transfer.exchange.maySkipRedirects {
      finals.remember(
        transfer.url, for: transfer.exchange.url,
        FinalURLs.Chain(cookies: transfer.jar, feed: transfer.exchange.feed))
    }
    won(transfer)
  }

  func finished(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
    guard let transfer = running.removeValue(forKey: easy) else { return }
    if let easy = transfer.easy { multi.remove(easy) }
    leave(transfer)
    settle(transfer, ending(transfer) { transfer.endHop(code) })
  }

  /// Ends the hop of each transfer that was silent for too long, or sends its request again.
  func endSilent() {
    for transfer in Array(running.values) where silentUntil(transfer) <= now {
      guard !mayBeMended(transfer) else {
        again(transfer)
        continue
      }
      let isLate = transfer.deadline.map { $0 <= now } ?? false
      let timeLimit = isLate ? transfer.exchange.timeLimit : nil
      let reason =
        timeLimit.map { "no complete answer came within \($0.inWords)" }
        ?? "the server sent nothing for \(timeout(of: transfer).inWords)"
      let mayTakeLonger = mayTakeLonger(transfer)
      timedOut(transfer)
      doubt(transfer.url.origin, since: transfer.lastHeard, becauseOf: transfer)
      guard !mayTakeLonger else {
        again(transfer)
        continue
      }
      release(transfer)
      settle(transfer, ending(transfer) { transfer.endHop(because: reason) })
    }
  }

  /// Ends a hop by calling `end`, and reports it if the configuration asks for reports.
  private func ending(_ transfer: Transfer, _ end: () -> Transfer.HopEnd) -> Transfer.HopEnd {
    guard let tell = configuration.report else { return end() }
    let report = transfer.report("")
    let end = end()
    if let report { tell(report.ended(end.words)) }
    return end
  }

  /// Reports a request that `TransferLoop` gives up while libcurl still runs it.
  func reportCancelled(_ transfer: Transfer) {
    guard let easy = transfer.easy, running[easy.pointer] != nil else { return }
    _ = ending(transfer) { .end(.cancelled) }
  }

  /// Returns the time until which a transfer is allowed to stay silent.
  private func silentUntil(_ transfer: Transfer) -> Instant {
    let heard = transfer.lastHeard ?? now
    let limit = transfer.overSince.map { $0 + Self.maxDrain } ?? heard + timeout(of: transfer)
    let deadline = transfer.isAsking ? patientUntil(transfer) : transfer.deadline
    return min(limit, deadline ?? limit)
  }

  /// Takes a transfer out of libcurl's multi handle, so that libcurl no longer runs it.
  func release(_ transfer: Transfer) {
    guard let easy = transfer.easy else { return }
    running[easy.pointer] = nil
    multi.remove(easy)
    leave(transfer)
  }

  /// Notes that a transfer no longer uses its connection. Shuts the connection if it must not be
  /// used again.
  private func leave(_ transfer: Transfer) {
    multi.sockets.change { $0.left(transfer.id).map { [$0] } ?? [] }
  }

  // MARK: Ends

  /// Decides what a transfer does after a hop: it makes a further hop, waits, or ends.
  func settle(_ transfer: Transfer, _ hop: Transfer.HopEnd) {
    let origin = transfer.url.origin
    for lesson in transfer.exchange.takeLessons() {
      manners.learn(lesson, of: origin, at: transfer.exchange.url)
    }
    switch hop {
    case .again(let keepsConnection):
      queues[origin]?.remove(transfer.id)
      if keepsConnection { queues[origin]?.ended(.complete, at: now) }
      publish(origin)
      transfer.askAgain()
      queue(transfer)
    case .redirect(let next, let isPermanent):
      guard !leadsBack(transfer, to: next) else { return withdraw(transfer) }
      queues[origin]?.remove(transfer.id)
      transfer.follow(to: next, isPermanent: isPermanent)
      queue(transfer)
    case .untrusted:
      queues[origin]?.remove(transfer.id)
      transfer.needsNewConnection = true
      queue(transfer)
    case .unvouched:
      queues[origin]?.remove(transfer.id)
      if vouchedByFolder.count >= Self.maxOrigins { vouchedByFolder = [] }
      vouchedByFolder.insert(origin)
      queue(transfer)
    case .challenged(let scheme):
      queues[origin]?.remove(transfer.id)
      schemes.asked(origin, for: scheme)
      queue(transfer)
    case .end(let end):
      if loseRace(transfer, end) { return }
      doubt(transfer, end)
      guard !isBeside(transfer) else { return withdraw(transfer) }
      if isUnheard(transfer, end) { return again(transfer) }
      if waitsForItsTurn(transfer, end) { return publish(origin) }
      let end = transfer.exchange.hasBegun ? end.afterBytes : end
      if case .unanswered(let silence) = end, !transfer.skippedRedirects,
        queues[origin]?.unanswered(transfer.id, reason: silence.words, at: now) == .waits
      {
        return publish(origin)
      }
      conclude(transfer, end)
    }
  }

  /// Ends a transfer with `end`, or starts it again at its first URL.
  func conclude(_ transfer: Transfer, _ end: TransferEnd) {
    let origin = transfer.url.origin
    queues[origin]?.remove(transfer.id, at: now)
    if case .busy = end, transfer.exchange.asksOnce {
      // Such a request is not needed. The origin said that it was one too many, so the other
      // requests go on as if it had not been made.
    } else {
      queues[origin]?.ended(end, at: now)
    }
    publish(origin)
    // `isAccepted` would be wrong here, because a head is sometimes accepted only for the first
    // bytes of its body.
    if transfer.skippedRedirects, !transfer.exchange.hasBegun, !transfer.exchange.asksOnce,
      end.mayDependOnURL
    {
      finals.forget(transfer.exchange.url)
      transfer.startOver()
      queue(transfer)
    } else {
      finish(transfer, end)
    }
  }

  func finish(_ transfer: Transfer, _ end: TransferEnd) {
    guard !isBeside(transfer) else { return withdraw(transfer) }
    transfers[transfer.id] = nil
    kin[transfer.name] = nil
    if end.mayDependOnURL { finals.forget(transfer.exchange.url) }
    transfer.exchange.ended(end)
  }

  /// Returns the time at which the next turn has to run, even if nothing happens before.
  func nextEvent() -> Instant {
    let silent = running.values.lazy.map(silentUntil).min() ?? now + .seconds(60)
    let start =
      hasRoom ? queues.values.lazy.compactMap { $0.nextStart(after: self.now) }.min() : nil
    let again = min(nextAsk() ?? silent, nextRace() ?? silent)
    let limited = running.values.contains(where: \.isHeld) ? meter.allowance.next ?? now : silent
    return min(silent, start ?? silent, limited, again)
  }

  /// Shows the status of an origin to other threads. The end of a transfer can change that status.
  /// It must be reported to the sink only after this call.
  func publish(_ origin: OriginName) {
    reports.withLock { $0[origin] = queues[origin]?.status }
  }

  /// The longest time for which the unwanted rest of an answer is read.
  private static let maxDrain = Duration.seconds(2)
}
