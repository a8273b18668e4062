import CCurl
import Glibc
import NIOConcurrencyHelpers

/// The client's thread: one turn takes orders, starts what may start, lets libcurl move bytes, and
/// settles what ended.
///
/// `@unchecked Sendable`: made on one thread and then used by the client's thread alone, but for
/// `inbox` and `reports`, which have locks.
final class TransferLoop: @unchecked Sendable {
  typealias Instant = ContinuousClock.Instant

  private let configuration: HTTPConfiguration
  private let rule: AddressRule
  private let multi: MultiHandle
  private let inbox: Inbox
  private let reports: NIOLockedValueBox<[OriginName: OriginStatus]>

  private var now = ContinuousClock.now
  private var transfers: [TransferID: Transfer] = [:]
  /// Those that libcurl has, by the pointers of their handles.
  private var running: [UnsafeMutableRawPointer: Transfer] = [:]
  private var queues: [OriginName: OriginQueue] = [:]
  private var finals = FinalURLs()
  private let meter = Meter()
  /// Whether anything may be asked.
  private var isOpen = true

  init(
    _ configuration: HTTPConfiguration, _ multi: MultiHandle, _ inbox: Inbox,
    _ reports: NIOLockedValueBox<[OriginName: OriginStatus]>
  ) {
    self.configuration = configuration
    rule = configuration.addressRule
    self.multi = multi
    self.inbox = inbox
    self.reports = reports
  }

  /// Returns after the inbox was closed and every transfer has ended.
  func run() {
    while takeOrders() {
      startWhatMay()
      letGo()
      multi.perform()
      hear()
      for (easy, code) in multi.finished() { finished(easy, code) }
      endSilent()
      multi.poll(nextEvent() - now)
    }
    for transfer in Array(transfers.values) { cancel(transfer) }
  }

  // MARK: Orders

  /// False: these were the last. None outlives this, since the file that one is for would stay open for as
  /// long as the thread waits.
  private func takeOrders() -> Bool {
    let (orders, isClosed) = inbox.take()
    now = .now
    orders.forEach(follow)
    return !isClosed
  }

  private func follow(_ order: Inbox.Order) {
    switch order {
    case .fetch(let id, let request, let sink): admit(id, RangeExchange(request, sink))
    case .get(let id, let request, let reply): admit(id, DocumentExchange(request, reply))
    case .cancel(let id): transfers[id].map(cancel)
    case .hasten(let id):
      guard let transfer = transfers[id] else { break }
      transfer.priority = .demand
      queues[transfer.url.origin]?.hasten(id)
    case .turn(let isOpen, let then):
      self.isOpen = isOpen
      if !isOpen { Array(transfers.values).forEach(cancel) }
      then()
    case .limit(let rate, let then):
      meter.allowance.limit(to: rate, at: now)
      for transfer in running.values { transfer.easy?.narrow(to: meter.allowance.window) }
      then()
    }
  }

  /// Those that were held up take what they may.
  private func letGo() {
    meter.allowance.pass(to: now)
    for transfer in running.values where transfer.isHeld && !meter.allowance.isUsedUp {
      transfer.goOn()
    }
  }

  private func admit(_ id: TransferID, _ exchange: any Exchange) {
    guard isOpen else { return exchange.ended(.cancelled) }
    do {
      let transfer = Transfer(id, exchange, try WebURL(parsing: exchange.url), meter)
      transfers[id] = transfer
      if exchange.maySkipRedirects, let final = finals[exchange.url] {
        transfer.skipRedirects(to: final)
      }
      queue(transfer)
    } catch {
      exchange.ended(.blocked(reason: error.description))
    }
  }

  private func cancel(_ transfer: Transfer) {
    release(transfer)
    queues[transfer.url.origin]?.remove(transfer.id)
    conclude(transfer, .cancelled)
  }

  // MARK: Starting

  /// Lets a transfer wait for its place at the origin of its current URL.
  private func queue(_ transfer: Transfer) {
    let origin = transfer.url.origin
    if let literal = IPAddress(parsing: origin.host),
      !rule(for: transfer).allows(literal, under: origin.host)
    {
      return conclude(transfer, .blocked(reason: "\(origin.host) is not a public address"))
    }
    if transfer.exchange.isImpatient, let wait = queues[origin]?.closed(at: now) {
      return conclude(transfer, .busy(retryAfter: wait))
    }
    if queues[origin] == nil { forgetIdleOrigin() }
    queues[origin, default: OriginQueue(jitter: .random(in: 0..<1))].add(
      transfer.id, transfer.priority, isImpatient: transfer.exchange.isImpatient)
  }

  /// What a feed's URLs may lead to: the host that was typed for another one is not its own.
  private func rule(for transfer: Transfer) -> AddressRule {
    guard let feed = transfer.exchange.feed else { return rule }
    return AddressRule(typedHosts: [feed.host], allowed: rule.allowed)
  }

  private func startWhatMay() {
    for origin in queues.compactMap({ $0.value.hasWaiting ? $0.key : nil }) {
      let anew = queues[origin]?.connectsAnew ?? false
      for id in queues[origin]?.start(at: now) ?? [] {
        if let transfer = transfers[id] { start(transfer, anew: anew) }
      }
      publish(origin)
    }
  }

  private func start(_ transfer: Transfer, anew: Bool) {
    let rule = rule(for: transfer)
    // A connection that another feed may have is not this one's: it was not judged for it.
    let isForeign =
      !rule.typedHosts.contains(transfer.url.host)
      && self.rule.typedHosts.contains(
        transfer.url.host)
    let gate = SocketGate(
      rule: rule, host: transfer.url.host, usesProxy: configuration.proxy != nil,
      patience: configuration.stallTimeout)
    transfer.lastHeard = now
    if transfer.deadline == nil { transfer.deadline = transfer.exchange.longest.map { now + $0 } }
    do {
      let easy = try transfer.beginHop(configuration, gate, anew: anew || isForeign)
      try multi.add(easy)
      running[easy.pointer] = transfer
    } catch {
      settle(transfer, .end(.broken(reason: error.description)))
    }
  }

  // MARK: What comes

  private func hear() {
    let before = now
    now = .now
    // A sink that was held up by its disk held up every transfer: none of them was silent.
    let wasHeldUp = now - before > .seconds(1)
    var heard: Set<OriginName> = []
    for transfer in running.values {
      if wasHeldUp || transfer.isHeld { transfer.lastHeard = now }
      if transfer.isHeld { queues[transfer.url.origin]?.progressed(transfer.id, bytes: 0, at: now) }
      guard let (bytes, headCame) = transfer.takeNews() else { continue }
      transfer.lastHeard = now
      if transfer.isOver, transfer.overSince == nil { transfer.overSince = now }
      let origin = transfer.url.origin
      queues[origin]?.progressed(transfer.id, bytes: bytes, at: now)
      heard.insert(origin)
      if headCame { headArrived(of: transfer) }
    }
    heard.forEach(publish)
  }

  private func headArrived(of transfer: Transfer) {
    queues[transfer.url.origin]?.answered(transfer.id, at: now)
    if meter.allowance.wasLimited { transfer.easy?.narrow(to: meter.allowance.window) }
    if transfer.isAccepted, transfer.hops > 0, transfer.exchange.maySkipRedirects {
      finals.remember(transfer.url, for: transfer.exchange.url)
    }
  }

  private func finished(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
    guard let transfer = running.removeValue(forKey: easy) else { return }
    if let easy = transfer.easy { multi.remove(easy) }
    settle(transfer, transfer.endHop(code))
  }

  private func endSilent() {
    for transfer in Array(running.values) where silentUntil(transfer) <= now {
      let isLate = transfer.deadline.map { $0 <= now } ?? false
      let longest = isLate ? transfer.exchange.longest : nil
      let reason =
        longest.map { "it was not done within \($0.inWords)" }
        ?? "nothing came for \(configuration.stallTimeout.inWords)"
      release(transfer)
      queues[transfer.url.origin]?.stalled()
      settle(transfer, transfer.endHop(because: reason))
    }
  }

  /// Until when a transfer may stay as it is.
  private func silentUntil(_ transfer: Transfer) -> Instant {
    let heard = transfer.lastHeard ?? now
    let limit = transfer.overSince.map { $0 + Self.rest } ?? heard + configuration.stallTimeout
    return min(limit, transfer.deadline ?? limit)
  }

  /// Takes a transfer away from libcurl.
  private func release(_ transfer: Transfer) {
    guard let easy = transfer.easy else { return }
    running[easy.pointer] = nil
    multi.remove(easy)
  }

  // MARK: What follows

  private func settle(_ transfer: Transfer, _ hop: Transfer.HopEnd) {
    let origin = transfer.url.origin
    switch hop {
    case .redirect(let next, let isPermanent):
      queues[origin]?.remove(transfer.id)
      transfer.follow(to: next, isPermanent: isPermanent)
      queue(transfer)
    case .end(let end):
      if case .unanswered(let reason) = end, !transfer.skippedRedirects,
        queues[origin]?.unanswered(transfer.id, reason: reason, at: now) == .waits
      {
        return publish(origin)
      }
      queues[origin]?.remove(transfer.id)
      queues[origin]?.ended(end, at: now)
      publish(origin)
      if transfer.skippedRedirects, !transfer.isAccepted, end.mayDependOnURL {
        finals.forget(transfer.exchange.url)
        transfer.startOver()
        queue(transfer)
      } else {
        conclude(transfer, end)
      }
    }
  }

  private func conclude(_ transfer: Transfer, _ end: TransferEnd) {
    transfers[transfer.id] = nil
    if end.mayDependOnURL { finals.forget(transfer.exchange.url) }
    transfer.exchange.ended(end)
  }

  /// When the next turn is due even if nothing comes.
  private func nextEvent() -> Instant {
    let silent = running.values.lazy.map(silentUntil).min() ?? now + .seconds(60)
    let start = queues.values.lazy.compactMap { $0.nextStart(after: self.now) }.min()
    let held = running.values.contains(where: \.isHeld) ? meter.allowance.next ?? now : silent
    return min(silent, start ?? silent, held)
  }

  /// Shows the status of an origin to other threads, before anybody hears of an end that changed it.
  private func publish(_ origin: OriginName) {
    reports.withLockedValue { $0[origin] = queues[origin]?.status }
  }

  /// Redirects of strangers may lead to any number of origins: their memory is bounded.
  private func forgetIdleOrigin() {
    guard queues.count >= Self.mostOrigins,
      let idle = queues.first(where: { $0.value.isIdle && $0.value.closed(at: now) == nil })
    else { return }
    queues[idle.key] = nil
    publish(idle.key)
  }

  /// For how long the rest of an answer may run out that is of no use.
  private static let rest = Duration.seconds(2)
  private static let mostOrigins = 256
}
