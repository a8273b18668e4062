import Addresses

/// Handles connections that fall silent, and targets of redirects that do not answer.
extension TransferLoop {
  // MARK: Distrusted connections

  /// Distrusts all connections and all resolved names, because the network has changed. No pooled
  /// connection is used again. A running transfer must bring bytes within a shorter timeout from
  /// now on. Unreachable origins are asked at once, not at their next probe.
  func networkChanged() {
    changedAt = now
    races.networkChanged()
    multi.sockets.change { $0.suspect(nil, mayBeDead: true) }
    for origin in queues.keys {
      queues[origin]?.networkChanged(at: now)
      publish(origin)
    }
  }

  /// Distrusts the connections of an origin if `end` shows that they are perhaps dead or broken.
  func doubt(_ transfer: Transfer, _ end: TransferEnd) {
    let origin = transfer.url.origin
    switch end {
    case .unanswered:
      http3.failed(origin)
      doubt(origin, since: transfer.begunAt, becauseOf: transfer)
    case .refused:
      multi.sockets.change { $0.suspect(origin, mayBeDead: false) }
      queues[origin]?.lostTrust()
    case .complete, .notModified, .changed, .doubted, .unsatisfiable, .busy, .gone, .serverError,
      .broken, .blocked, .cancelled:
      break
    }
  }

  /// Distrusts the connection of `transfer`, because nothing came over it since `since`. Also
  /// distrusts each other connection of `origin` that has been silent since then.
  func doubt(_ origin: OriginName, since: Instant?, becauseOf transfer: Transfer) {
    multi.sockets.change { connections in
      connections.suspect(theOneOf: transfer.id)
      return connections.suspect(origin, since: since, mayBeDead: true)
    }
    queues[origin]?.lostTrust()
  }

  /// Returns the longest time for which a transfer is allowed to stay silent.
  func timeout(of transfer: Transfer) -> Duration {
    let longest =
      isWaitingForHead(transfer)
      ? headTimeouts.time(at: transfer.url.origin) : configuration.stallTimeout
    guard isInDoubt(transfer) else { return longest }
    let usual = queues[transfer.url.origin]?.headTimeout ?? Self.shortSilence
    let short = transfer.isAsking ? max(usual, Self.shortSilence) : Self.shortSilence
    return min(short, longest)
  }

  /// Whether the request went over a connection, and no head of an answer has come.
  private func isWaitingForHead(_ transfer: Transfer) -> Bool {
    transfer.isAsking && transfer.use != nil
  }

  /// Notes that `transfer` is dropped because it was silent for too long.
  func timedOut(_ transfer: Transfer) {
    guard isWaitingForHead(transfer), !isInDoubt(transfer), !transfer.exchange.asksOnce else {
      return
    }
    headTimeouts.wasSilent(transfer.url.origin, for: timeout(of: transfer))
  }

  /// Whether the request of a silent transfer is sent once more, with a longer timeout. Only
  /// documents are sent again like this, because the callers of range requests repeat their
  /// requests themselves.
  func mayTakeLonger(_ transfer: Transfer) -> Bool {
    guard isWaitingForHead(transfer), let patient = patientUntil(transfer) else { return false }
    return patient > now && timeout(of: transfer) < headTimeouts.maxTime
  }

  /// Returns the time until which the caller of a document request waits for a head; nil for a
  /// range request, or before the request has started.
  func patientUntil(_ transfer: Transfer) -> Instant? {
    guard let deadline = transfer.deadline, let timeLimit = transfer.exchange.timeLimit else {
      return nil
    }
    return min(deadline, deadline - timeLimit + (configuration.headTimeout ?? headTimeouts.maxTime))
  }

  /// Whether the connection of a transfer is perhaps dead, or the transfer began before the last
  /// change of the network.
  private func isInDoubt(_ transfer: Transfer) -> Bool {
    if let changedAt, let begun = transfer.begunAt, begun < changedAt { return true }
    return multi.sockets.connections.mayBeDead(transfer.id)
  }

  /// Whether a silent transfer can start again over another connection without any loss.
  func mayBeMended(_ transfer: Transfer) -> Bool {
    transfer.isAsking && !transfer.exchange.asksOnce && isInDoubt(transfer)
      && (transfer.deadline ?? now + .seconds(1)) > now
  }

  /// Whether the request got no answer because its reused connection failed. The request is then
  /// sent once more.
  func isUnheard(_ transfer: Transfer, _ end: TransferEnd) -> Bool {
    guard transfer.use == .reused, !transfer.hasClaimed, !transfer.wasAskedAgain,
      !transfer.exchange.asksOnce
    else { return false }
    switch end {
    case .unanswered, .refused(.notHTTP): return true
    case .complete, .notModified, .changed, .doubted, .unsatisfiable, .busy, .gone, .serverError,
      .refused, .broken, .blocked, .cancelled:
      return false
    }
  }

  /// Sends the request again, over a new connection.
  func again(_ transfer: Transfer) {
    reportCancelled(transfer)
    release(transfer)
    transfer.dropHop()
    queues[transfer.url.origin]?.remove(transfer.id)
    transfer.needsNewConnection = true
    transfer.wasAskedAgain = true
    queue(transfer)
  }

  /// The time for which libcurl is allowed to use a resolved name: a minute, which is libcurl's own
  /// default, or the time since the last change of the network if that is shorter.
  var namesHold: Duration {
    min(.seconds(60), changedAt.map { now - $0 } ?? .seconds(60))
  }

  // MARK: Second asks

  /// Starts a second ask for each request that is late on a reused connection, and a walker for
  /// each redirect whose target is silent.
  func askAgain() {
    for origin in Array(queues.keys) {
      for id in queues[origin]?.doubtful(at: now) ?? [] {
        guard hasRoom, let first = transfers[id], first.isAsking, !first.exchange.asksOnce,
          others(beside: first).isEmpty
        else { continue }
        let second = join(first, as: .second)
        second.needsNewConnection = true
        queues[origin]?.startSecond(second.id, of: first.id, at: now)
        start(second)
      }
    }
    for transfer in Array(transfers.values) {
      guard let walk = nextWalk(for: transfer), walk <= now else { continue }
      finals.asked(transfer.exchange.url, at: now)
      queue(join(transfer, as: .walker))
    }
  }

  /// Returns the next time at which `askAgain` has something to do.
  func nextAsk() -> Instant? {
    let doubts = queues.values.lazy.compactMap { $0.nextDoubt(after: self.now) }.min()
    let walks = transfers.values.lazy.compactMap { self.nextWalk(for: $0) }.min()
    return [doubts, walks].compactMap(\.self).min()
  }

  /// Returns the time at which a walker should start for `transfer`; nil if none should. A walker
  /// asks the first URL again while the target of its redirect does not answer.
  private func nextWalk(for transfer: Transfer) -> Instant? {
    let redirector = transfer.first.origin
    guard redirector != transfer.url.origin, !transfer.exchange.failsFast, transfer.isAsking,
      let target = queues[transfer.url.origin], target.closed(at: now) == nil,
      transfer.easy != nil || target.isOutOfReach,
      queues[redirector].map({ !$0.isOutOfReach && $0.closed(at: now) == nil }) ?? true,
      !others(beside: transfer).contains(where: { $0.role == .walker }),
      let came = transfer.cameAt
    else { return nil }
    return max(came + Self.shortSilence, finals.pause(of: transfer.exchange.url) ?? came)
  }

  /// Starts another transfer for the request of `transfer`.
  func join(_ transfer: Transfer, as role: Transfer.Role) -> Transfer {
    let other = Transfer(inbox.makeID(), role, beside: transfer)
    transfers[other.id] = other
    kin[transfer.name, default: []].append(other.id)
    return other
  }

  /// Whether a redirect leads a walker to the same silent target again.
  func leadsBack(_ walker: Transfer, to next: WebAddress) -> Bool {
    walker.role == .walker
      && others(beside: walker).contains { stuck in
        stuck.url == next
          || stuck.url.origin == next.origin && queues[next.origin]?.isOutOfReach == true
      }
  }

  /// Withdraws the other transfers for the same request, now that `transfer` has its head. If
  /// `transfer` is a walker, it has found a target that answers. Transfers for other requests to
  /// the same URL that still wait at another target then move to the found target.
  func won(_ transfer: Transfer) {
    guard transfer.hasClaimed else { return }
    for other in others(beside: transfer) {
      if transfer.role == .second || transfer.role == .walker {
        doubt(other.url.origin, since: other.begunAt, becauseOf: other)
      }
      withdraw(other)
    }
    guard transfer.isAccepted, transfer.hops > 0, transfer.role == .walker else { return }
    for other in Array(transfers.values)
    where other.exchange.url == transfer.exchange.url && other.isAsking
      && other.exchange.maySkipRedirects && other.url.origin != other.first.origin
      && other.url.origin != transfer.url.origin
    {
      release(other)
      other.dropHop()
      queues[other.url.origin]?.remove(other.id)
      let isSameFeed = other.exchange.feed == transfer.exchange.feed
      other.skipRedirects(to: transfer.url, with: isSameFeed ? transfer.jar : nil)
      queue(other)
    }
  }

  // MARK: Transfers for the same request

  /// Returns the transfers for one request, the first one first.
  func all(named name: TransferID) -> [Transfer] {
    ([name] + (kin[name] ?? [])).compactMap { transfers[$0] }
  }

  /// Returns the other transfers for the request of `transfer`.
  func others(beside transfer: Transfer) -> [Transfer] {
    guard kin[transfer.name] != nil else { return [] }
    return all(named: transfer.name).filter { $0.id != transfer.id }
  }

  /// Whether `transfer` can end without ending its request, because another transfer for the same
  /// request runs.
  func isBeside(_ transfer: Transfer) -> Bool {
    !transfer.hasClaimed && !others(beside: transfer).isEmpty
  }

  /// Ends one of several transfers for the same request. The others continue.
  func withdraw(_ transfer: Transfer) {
    reportCancelled(transfer)
    release(transfer)
    transfer.dropHop()
    queues[transfer.url.origin]?.remove(transfer.id)
    transfers[transfer.id] = nil
  }

  /// The timeout on a connection that is perhaps dead. A walker starts after the target of a
  /// redirect was silent for the same time.
  static let shortSilence = Duration.seconds(2)
}
