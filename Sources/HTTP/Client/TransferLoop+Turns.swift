import Addresses

/// Handles origins that perhaps serve only one request at a time.
extension TransferLoop {
  /// Decides whether a transfer waits and is sent again alone, instead of ending with `end`.
  /// Perhaps the origin turned the transfer away because it was serving another transfer.
  func waitsForItsTurn(_ transfer: Transfer, _ end: TransferEnd) -> Bool {
    let origin = transfer.url.origin
    guard !transfer.isAccepted else { return false }
    let wait = transfer.retryAfter
    var (isBusy, isClosed) = (false, false)
    if case .busy = end { isBusy = true }
    if case .unanswered(let silence) = end { isClosed = silence.cause == .closed }
    let isSign = transfer.status.map { Turns.statuses.contains($0) } ?? isClosed
    guard isSign, !transfer.skippedRedirects, !transfer.exchange.asksOnce,
      queues[origin]?.turnedAway(transfer.id, for: wait, isBusy: isBusy, at: now) == true
    else {
      queues[origin]?.failed(transfer.id, at: now)
      return false
    }
    transfer.turnedAway = end
    return true
  }

  /// Ends the transfers of `origin` that were turned away and do not wait for a trial (`Turns`) any
  /// more.
  func endTurnedAway(by origin: OriginName) {
    for id in queues[origin]?.refused(at: now) ?? [] {
      guard let transfer = transfers[id], let end = transfer.turnedAway else { continue }
      conclude(transfer, end)
    }
  }
}
