import Addresses

/// Tries several addresses of a host name at once (`AddressRaces`).
extension TransferLoop {
  /// Starts a racer, which tries another address, for each request that has had no connection for a
  /// moment.
  func race() {
    for transfer in Array(running.values) where transfers[transfer.id] === transfer {
      guard hasRoom, let next = nextRace(of: transfer), next <= now else { continue }
      let racer = join(transfer, as: .racer)
      racer.needsNewConnection = true
      queues[transfer.url.origin]?.startSecond(racer.id, of: transfer.id, at: now)
      start(racer)
    }
  }

  /// Returns the next time at which `race` has something to do.
  func nextRace() -> Instant? {
    let tries = hasRoom ? running.values.lazy.compactMap { self.nextRace(of: $0) }.min() : nil
    return [tries, nextAddress()].compactMap(\.self).min()
  }

  /// Returns the time at which libcurl has to be called so that it tries the next address; nil if
  /// no call is needed. libcurl 7.88 does not ask for this call: after an address was refused or
  /// left out, it tries the next one only when it is called again.
  private func nextAddress() -> Instant? {
    let isBetween = running.values.contains { transfer in
      transfer.isBetweenAddressesSince.map { now - $0 < Self.betweenAddresses } ?? false
    }
    return isBetween ? now + .milliseconds(1) : nil
  }

  /// Returns the addresses that a transfer does not try: those that are dead, and for a racer, the
  /// addresses that other transfers of the same request try.
  func avoided(by transfer: Transfer) -> Set<IPAddress> {
    guard IPAddress(parsing: transfer.url.host) == nil else { return [] }
    let dead = races.dead(at: transfer.url.origin, now)
    guard transfer.role == .racer else { return dead }
    return dead.union(others(beside: transfer).flatMap { $0.connecting.attempts.map(\.address) })
  }

  /// Withdraws the other transfers that try addresses for the same request, now that `transfer` has
  /// a connection. Addresses that were silent meanwhile count as dead.
  func winRace(_ transfer: Transfer) {
    let rivals = others(beside: transfer).filter { rival in
      rival.isAsking && rival.use == nil && rival.url == transfer.url
        && (rival.role == .racer || transfer.role == .racer)
    }
    let silent = (rivals + [transfer]).flatMap(\.silentAttempts)
      .filter { now - $0.at >= AddressRaces.pause(nil) / 2 }
    let inTLS = rivals.filter(\.isInTLS).flatMap(\.connecting.attempts)
      .filter { now - $0.at >= AddressRaces.pause(nil, isInTLS: true) }
    races.died((silent + inTLS).map(\.address), at: transfer.url.origin, now)
    rivals.forEach(withdraw)
  }

  /// Handles the end of a transfer that got no connection. Other transfers for its request can
  /// still get one, or there can be addresses that were not tried. Returns true if the transfer was
  /// withdrawn or queued again, so that its end does not count.
  func loseRace(_ transfer: Transfer, _ end: TransferEnd) -> Bool {
    guard transfer.use == nil, transfer.isAsking else { return false }
    let origin = transfer.url.origin
    let rivals = others(beside: transfer)
    let untried = transfer.connecting.skipped
      .subtracting(rivals.flatMap { $0.connecting.attempts.map(\.address) })
    if !untried.isEmpty { races.revive(origin) }
    guard rivals.isEmpty else {
      guard transfer.role == .racer else { return false }
      if untried.isEmpty, transfer.connecting.attempts.isEmpty {
        for rival in rivals { rival.connecting.hasNoOther = true }
      }
      withdraw(transfer)
      return true
    }
    guard !untried.isEmpty, transfer.deadline.map({ $0 > now }) ?? true else { return false }
    queues[origin]?.remove(transfer.id)
    queue(transfer)
    return true
  }

  /// Returns the time at which a racer tries another address beside those of `transfer`; nil if
  /// none does.
  private func nextRace(of transfer: Transfer) -> Instant? {
    guard transfer.use == nil, transfer.isAsking, let last = transfer.connecting.attempts.last
    else { return nil }
    let time = last.at + AddressRaces.pause(queues[transfer.url.origin]?.status.latency)
    guard time <= now else { return time }
    let late = last.at + AddressRaces.pause(nil, isInTLS: transfer.isInTLS)
    guard late <= now else { return late }
    guard transfer.isWithoutConnection, IPAddress(parsing: transfer.url.host) == nil else {
      return nil
    }
    // Only the newest of several tries starts another one.
    let tries = others(beside: transfer).filter { $0.isAsking && $0.use == nil }
    let attempts = tries.flatMap(\.connecting.attempts)
    guard !attempts.contains(where: { $0.at > last.at }),
      tries.allSatisfy({ !$0.connecting.attempts.isEmpty }),
      attempts.count + transfer.connecting.attempts.count < AddressRaces.maxTries
    else { return nil }
    return time
  }

  /// After an address was left out, libcurl is called each millisecond for this time, so that it
  /// tries the next one.
  private static let betweenAddresses = Duration.milliseconds(200)
}
