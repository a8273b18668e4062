/// Deals with silence: of connections, and of the targets of redirects.
extension TransferLoop {
  // MARK: Connections that are not trusted any more

  /// Kept connections may lead nowhere, and names may mean other addresses: nothing that is kept is used again,
  /// what is under way has to bring something soon, and who waits for an origin need not wait for its probe.
  func networkChanged() {
    changedAt = now
    multi.sockets.change { $0.suspect(nil, mayBeDead: true) }
    for origin in queues.keys {
      queues[origin]?.networkChanged(at: now)
      publish(origin)
    }
  }

  /// How a transfer ended tells of more than itself.
  func doubt(_ transfer: Transfer, _ end: TransferEnd) {
    let origin = transfer.url.origin
    switch end {
    case .unanswered: doubt(origin, since: transfer.begunAt, becauseOf: transfer)
    case .refused:
      multi.sockets.change { $0.suspect(origin, mayBeDead: false) }
      queues[origin]?.lostTrust()
    case .complete, .notModified, .changed, .unsatisfiable, .busy, .gone, .serverError, .broken,
      .blocked, .cancelled:
      break
    }
  }

  /// Nothing has come for `transfer` since then: neither its connection nor any other that was silent
  /// meanwhile is trusted.
  func doubt(_ origin: OriginName, since: Instant?, becauseOf transfer: Transfer) {
    multi.sockets.change { connections in
      connections.suspect(theOneOf: transfer.id)
      return connections.suspect(origin, since: since, mayBeDead: true)
    }
    queues[origin]?.lostTrust()
  }

  /// For how long a transfer may be silent.
  func patience(with transfer: Transfer) -> Duration {
    guard isInDoubt(transfer) else { return configuration.stallTimeout }
    let usual = queues[transfer.url.origin]?.headPatience ?? Self.shortSilence
    let short = transfer.isAsking ? max(usual, Self.shortSilence) : Self.shortSilence
    return min(short, configuration.stallTimeout)
  }

  private func isInDoubt(_ transfer: Transfer) -> Bool {
    if let changedAt, let begun = transfer.begunAt, begun < changedAt { return true }
    return multi.sockets.connections.mayBeDead(transfer.id)
  }

  /// Whether a silent transfer can go over another connection as if nothing had been.
  func mayBeMended(_ transfer: Transfer) -> Bool {
    transfer.isAsking && isInDoubt(transfer) && (transfer.deadline ?? now + .seconds(1)) > now
  }

  /// Whether what a kept connection said, or did not say, was no answer to this.
  func isUnheard(_ transfer: Transfer, _ end: TransferEnd) -> Bool {
    guard transfer.use == .kept, !transfer.hasClaimed, !transfer.wasAskedAgain else { return false }
    switch end {
    case .unanswered, .refused(.notHTTP): return true
    case .complete, .notModified, .changed, .unsatisfiable, .busy, .gone, .serverError, .refused,
      .broken, .blocked, .cancelled:
      return false
    }
  }

  /// Asks anew, over a new connection.
  func again(_ transfer: Transfer) {
    reportCancelled(transfer)
    release(transfer)
    transfer.dropHop()
    queues[transfer.url.origin]?.remove(transfer.id)
    transfer.needsNewConnection = true
    transfer.wasAskedAgain = true
    queue(transfer)
  }

  /// For how long names hold that were resolved: libcurl's own minute, and never since before the network
  /// became another one.
  var namesHold: Duration {
    min(.seconds(60), changedAt.map { now - $0 } ?? .seconds(60))
  }

  // MARK: Asking twice

  /// Asks a second time what kept connections do not answer, and redirectors whose targets say nothing.
  func askAgain() {
    for origin in Array(queues.keys) {
      for id in queues[origin]?.doubtful(at: now) ?? [] {
        guard hasRoom, let first = transfers[id], first.isAsking, others(beside: first).isEmpty
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

  /// When `askAgain` has something to do next.
  func nextAsk() -> Instant? {
    let doubts = queues.values.lazy.compactMap { $0.nextDoubt(after: self.now) }.min()
    let walks = transfers.values.lazy.compactMap { self.nextWalk(for: $0) }.min()
    return [doubts, walks].compactMap(\.self).min()
  }

  /// When the redirector of `transfer` is to be asked anew, if it is led where nobody answers.
  private func nextWalk(for transfer: Transfer) -> Instant? {
    let redirector = transfer.first.origin
    guard redirector != transfer.url.origin, !transfer.exchange.isImpatient, transfer.isAsking,
      let target = queues[transfer.url.origin], target.closed(at: now) == nil,
      transfer.easy != nil || target.isOutOfReach,
      queues[redirector].map({ !$0.isOutOfReach && $0.closed(at: now) == nil }) ?? true,
      !others(beside: transfer).contains(where: { $0.role == .walker }),
      let came = transfer.cameAt
    else { return nil }
    return max(came + Self.shortSilence, finals.pause(of: transfer.exchange.url) ?? came)
  }

  private func join(_ transfer: Transfer, as role: Transfer.Role) -> Transfer {
    let other = Transfer(inbox.makeID(), role, beside: transfer)
    transfers[other.id] = other
    kin[transfer.name, default: []].append(other.id)
    return other
  }

  /// Whether a walker was led to where it came away from.
  func leadsBack(_ walker: Transfer, to next: WebURL) -> Bool {
    walker.role == .walker
      && others(beside: walker).contains { stuck in
        stuck.url == next
          || stuck.url.origin == next.origin && queues[next.origin]?.isOutOfReach == true
      }
  }

  /// A head came for `transfer`: those that ask the same are too late.
  func won(_ transfer: Transfer) {
    guard transfer.hasClaimed else { return }
    for other in others(beside: transfer) {
      if transfer.role != .first {
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
      other.skipRedirects(to: transfer.url)
      queue(other)
    }
  }

  // MARK: Those that ask the same

  func all(named name: TransferID) -> [Transfer] {
    ([name] + (kin[name] ?? [])).compactMap { transfers[$0] }
  }

  func others(beside transfer: Transfer) -> [Transfer] {
    guard kin[transfer.name] != nil else { return [] }
    return all(named: transfer.name).filter { $0.id != transfer.id }
  }

  /// Whether others go on when `transfer` ends.
  func isBeside(_ transfer: Transfer) -> Bool {
    !transfer.hasClaimed && !others(beside: transfer).isEmpty
  }

  /// Ends one of several that ask the same; the others go on.
  func withdraw(_ transfer: Transfer) {
    reportCancelled(transfer)
    release(transfer)
    transfer.dropHop()
    queues[transfer.url.origin]?.remove(transfer.id)
    transfers[transfer.id] = nil
  }

  /// On a connection that may be dead, and where a redirect led, no byte for so long is too long.
  private static let shortSilence = Duration.seconds(2)
}
