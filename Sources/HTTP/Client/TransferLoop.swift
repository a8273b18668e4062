import Addresses
import Locks

/// The work of the client's thread. One turn of the loop takes orders, starts transfers, lets
/// libcurl move bytes, and settles ended transfers.
///
/// `@unchecked Sendable`: the client's thread alone uses the loop after `init`. Other threads use
/// only `inbox` and `reports`, which have locks.
final class TransferLoop: @unchecked Sendable {
  typealias Instant = ContinuousClock.Instant

  private(set) var configuration: HTTPConfiguration
  private var rule: AddressRule
  let multi: MultiHandle
  let inbox: Inbox
  let reports: Locked<[OriginName: OriginStatus]>
  /// Returns how long the computer has slept since a fixed time.
  private let slept: @Sendable () -> Duration
  private var hasSlept: Duration

  var now = ContinuousClock.now
  var transfers: [TransferID: Transfer] = [:]
  /// The second asks, racers and walkers (`Transfer.Role`) of each request, by the request's name
  /// (`Transfer.name`).
  var kin: [TransferID: [TransferID]] = [:]
  /// The transfers that libcurl runs, each under the pointer of its handle.
  var running: [UnsafeMutableRawPointer: Transfer] = [:]
  var queues: [OriginName: OriginQueue] = [:]
  var finals = FinalURLs()
  var races = AddressRaces()
  var headTimeouts: HeadTimeouts
  var schemes = AuthSchemes()
  var manners = Manners()
  var http3: HTTP3Origins
  /// The origins whose certificates no CA in the file has signed, so that the folder of CAs is
  /// needed.
  var vouchedByFolder: Set<OriginName> = []
  let meter = Meter()
  /// The time of the last change of the network.
  var changedAt: Instant?
  /// Whether requests are allowed (`HTTPClient.turn`).
  private var isOpen = true

  init(
    _ configuration: HTTPConfiguration, _ multi: MultiHandle, _ inbox: Inbox,
    _ reports: Locked<[OriginName: OriginStatus]>,
    slept: @escaping @Sendable () -> Duration
  ) {
    self.slept = slept
    hasSlept = slept()
    self.configuration = configuration
    rule = configuration.addressRule
    let usual = configuration.stallTimeout
    headTimeouts = HeadTimeouts(usual: usual, limit: configuration.headTimeout ?? usual * 4)
    http3 = HTTP3Origins(
      libraryHasHTTP3: EasyHandle.hasHTTP3, usesProxy: !configuration.proxies.isEmpty)
    self.multi = multi
    self.inbox = inbox
    self.reports = reports
  }

  /// Runs until the inbox is closed. Then cancels every transfer.
  func run() {
    while takeOrders() {
      startWhatMay()
      askAgain()
      race()
      resumeThrottled()
      multi.perform()
      collectProgress()
      for (easy, code) in multi.finished() { finished(easy, code) }
      endSilent()
      multi.poll(nextEvent() - now)
    }
    for transfer in Array(transfers.values) { cancel(transfer) }
  }

  // MARK: Orders

  /// Carries out the waiting orders. Returns false once the inbox is closed. The orders do not
  /// outlive this call, because their sinks would otherwise keep files open while the thread waits.
  private func takeOrders() -> Bool {
    let (orders, isClosed) = inbox.take()
    now = .now
    noticeSleep()
    orders.forEach(follow)
    return !isClosed
  }

  /// Treats a sleep of the computer as a change of the network.
  private func noticeSleep() {
    let slept = slept()
    defer { hasSlept = slept }
    guard slept - hasSlept > Self.nap else { return }
    for transfer in running.values { transfer.lastHeard = now }
    networkChanged()
  }

  private func follow(_ order: Inbox.Order) {
    switch order {
    case .fetch(let id, let request, let sink): admit(id, RangeExchange(request, sink))
    case .get(let id, let request, let reply): admit(id, DocumentExchange(request, reply))
    case .cancel(let id): all(named: id).first.map(cancel)
    case .promote(let id):
      for transfer in all(named: id) {
        transfer.priority = .demand
        try? transfer.easy?.weigh(.demand)
        queues[transfer.url.origin]?.promote(transfer.id)
      }
    case .networkChanged: networkChanged()
    case .turn(let isOpen, let then):
      self.isOpen = isOpen
      if !isOpen { Array(transfers.values).forEach(cancel) }
      then()
    case .limit(let rate, let then):
      meter.allowance.limit(to: rate, at: now)
      for transfer in running.values { transfer.easy?.narrow(to: meter.allowance.window) }
      then()
    case .typed(let hosts, let urls, let then):
      configuration.typedHosts.formUnion(hosts)
      configuration.typedURLs += urls
      rule = configuration.addressRule
      then()
    }
  }

  /// Continues the transfers that the rate limit has held up, as long as the limit allows bytes.
  private func resumeThrottled() {
    meter.allowance.pass(to: now)
    for transfer in running.values where transfer.isHeld && !meter.allowance.isUsedUp {
      transfer.goOn()
    }
  }

  private func admit(_ id: TransferID, _ exchange: any Exchange) {
    guard isOpen else { return exchange.ended(.cancelled) }
    do {
      let transfer = Transfer(id, exchange, try WebAddress(parsing: exchange.url), meter)
      transfers[id] = transfer
      if exchange.maySkipRedirects, let final = finals[exchange.url] {
        transfer.skipRedirects(
          to: final, with: finals.cookies(of: exchange.url, for: exchange.feed))
      }
      queue(transfer)
    } catch {
      exchange.ended(.blocked(reason: error.description))
    }
  }

  private func cancel(_ transfer: Transfer) {
    guard transfers[transfer.id] != nil else { return }
    for other in others(beside: transfer) { withdraw(other) }
    reportCancelled(transfer)
    release(transfer)
    transfer.dropHop()
    queues[transfer.url.origin]?.remove(transfer.id)
    finish(transfer, .cancelled)
  }

  // MARK: Starting

  /// Queues a transfer at the origin of its current URL.
  func queue(_ transfer: Transfer) {
    let origin = transfer.url.origin
    transfer.cameAt = now
    let isProxied = configuration.proxies.proxy(for: transfer.url) != nil
    if !rule(for: transfer).allows(host: origin.host, isProxied: isProxied) {
      return finish(
        transfer,
        .blocked(reason: "\(origin.host) is not a public address; --allow-private may allow it"))
    }
    if transfer.exchange.failsFast, let wait = queues[origin]?.closed(at: now) {
      return finish(transfer, .busy(retryAfter: wait))
    }
    if queues[origin] == nil { forgetIdleOrigin() }
    queues[origin, default: OriginQueue(jitter: .random(in: 0..<1))].add(
      transfer.id, transfer.priority, failsFast: transfer.exchange.failsFast, at: now)
  }

  /// Returns the address rule of a transfer's feed. A host that the user typed for one feed does
  /// not count as typed for another feed.
  private func rule(for transfer: Transfer) -> AddressRule {
    guard let feed = transfer.exchange.feed else { return rule }
    return AddressRule(typedHosts: [feed.address.host], allowed: rule.allowed, own: rule.own)
  }

  /// Whether one more transfer can start within the limit of connections. Each transfer perhaps
  /// needs a connection of its own.
  var hasRoom: Bool { running.count < configuration.maxConnections }

  private func startWhatMay() {
    for origin in queues.compactMap({ $0.value.hasWaiting ? $0.key : nil }) {
      endTurnedAway(by: origin)
      guard hasRoom else { return }
      let room = configuration.maxConnections - running.count
      for id in queues[origin]?.start(at: now, atMost: room) ?? [] {
        if let transfer = transfers[id] { start(transfer) }
      }
      publish(origin)
    }
  }

  func start(_ transfer: Transfer) {
    let rule = rule(for: transfer)
    // Another feed typed the host, so it can have a connection to a private address. This feed must
    // not use that connection.
    let isForeign =
      !rule.typedHosts.contains(transfer.url.host)
      && self.rule.typedHosts.contains(
        transfer.url.host)
    let gate = SocketGate(
      rule: rule, host: transfer.url.host, proxy: configuration.proxies.proxy(for: transfer.url),
      timeout: configuration.stallTimeout, freeDescriptor: configuration.freeDescriptor)
    transfer.lastHeard = now
    transfer.begunAt = now
    let origin = transfer.url.origin
    multi.sockets.shutDisturbed(of: origin)
    if transfer.deadline == nil { transfer.deadline = transfer.exchange.timeLimit.map { now + $0 } }
    let way = Transfer.Way(
      isAnew: transfer.needsNewConnection || isForeign, names: namesHold,
      headStart: races.headStart(at: origin), mayUseHTTP3: http3.contains(origin, at: now),
      asksFolder: vouchedByFolder.contains(origin), scheme: schemes.scheme(at: origin),
      avoided: avoided(by: transfer))
    let question = transfer.exchange.question(
      for: manners.manner(of: origin, at: transfer.exchange.url))
    do {
      let easy = try transfer.beginHop(question, configuration, gate, multi, way)
      running[easy.pointer] = transfer
      try multi.add(
        easy,
        streams: multi.sockets.connections.streams(for: origin, isApart: isApart(transfer)))
    } catch {
      if let easy = transfer.easy { running[easy.pointer] = nil }
      settle(transfer, .end(.broken(reason: error.description)))
    }
  }

  /// Whether a transfer gets a connection of its own even where it could share one.
  private func isApart(_ transfer: Transfer) -> Bool {
    let others = running.values.filter {
      $0 !== transfer && $0.exchange.url == transfer.exchange.url && !$0.isOver
    }
    return Sharing.isApart(
      transfer.priority, beside: others.map { $0.timeLeft(at: now) },
      latency: queues[transfer.url.origin]?.status.latency,
      isLimited: meter.allowance.rate != nil)
  }

  /// Forgets an idle origin when there are too many. Redirects can name any number of origins.
  private func forgetIdleOrigin() {
    guard queues.count >= Self.maxOrigins,
      let idle = queues.first(where: { $0.value.isIdle && $0.value.closed(at: now) == nil })
    else { return }
    queues[idle.key] = nil
    publish(idle.key)
  }

  static let maxOrigins = 256
  /// The shortest sleep of the computer that is noticed. A smaller difference between the two
  /// clocks comes from the time between their readings.
  private static let nap = Duration.seconds(1)
}
