import Quantities

/// Decides when the transfers of one origin start.
///
/// A value that only decides, without side effects. It takes events with their times, and returns
/// the transfers to start. While the origin answers, up to `places` transfers run at once.
/// Transfers of higher priority start first, and transfers of the same priority in the order in
/// which they came. A silent transfer gives its place to another.
///
/// While the origin is unreachable, all transfers wait. Only a few start as probes, at most
/// `maxProbes` at once. The first answer lets all others start.
struct OriginQueue {
  typealias Instant = ContinuousClock.Instant

  /// The decision about a transfer that got no answer.
  enum Fate: Equatable {
    /// The origin is unreachable. The transfer waits with the other transfers to it.
    case waits
    /// The transfer ends, because the origin answers other requests, or because the transfer
    /// `failsFast`.
    case fails
  }

  /// A transfer that has not started, or waits to start again.
  struct Waiting {
    var id: TransferID
    var priority: RangeRequest.Priority
    /// True when the transfer does not wait for an unreachable origin, but tries once and then
    /// fails.
    let failsFast: Bool
    /// The number of tries so far. Transfers with the fewest tries are the first probes, so that
    /// one bad URL does not take every probe.
    var tries = 0
    /// The time when the transfer was added to the queue.
    let since: Instant
    /// True if an answer turned the transfer away, and the trial (`Turns`) that shows the reason
    /// for this is not over.
    var isTurnedAway = false

    func named(_ id: TransferID) -> Waiting {
      var other = self
      other.id = id
      return other
    }
  }

  struct Running {
    var waiting: Waiting
    let started: Instant
    var lastProgress: Instant
    /// True when the transfer started while the origin was unreachable, and no answer of the origin
    /// has come since.
    var isProbe: Bool
    /// The time when the transfer's answer was accepted; nil if that has not happened yet.
    var acceptedAt: Instant?
    /// The time when bytes of the accepted answer last came.
    var servedAt: Instant?
  }

  /// A factor from 0.8 to 1 by which the pauses between probes are multiplied. It differs between
  /// mounts, so that they do not probe at the same moment.
  let pace: Double
  var waiting: [Waiting] = []
  var running: [TransferID: Running] = [:]
  private var lastProgress: Instant?
  var secondAsks = SecondAsks()
  var turns = Turns()
  /// The time when a transfer last ended, and the time when bytes last came for an ended transfer.
  var lastEnd: (at: Instant, servedAt: Instant?)?
  var status = OriginStatus()

  /// - Parameter jitter: any number in 0..<1, drawn once.
  init(jitter: Double) {
    pace = 1 - 0.2 * jitter
  }

  var hasWaiting: Bool { !waiting.isEmpty }
  var isIdle: Bool { waiting.isEmpty && running.isEmpty }

  // MARK: Events

  mutating func add(
    _ id: TransferID, _ priority: RangeRequest.Priority, failsFast: Bool = false,
    at now: Instant = .now
  ) {
    insert(Waiting(id: id, priority: priority, failsFast: failsFast, since: now))
  }

  /// Gives a transfer the priority `demand`, because a reader waits for it now.
  mutating func promote(_ id: TransferID) {
    running[id]?.waiting.priority = .demand
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
    var transfer = waiting.remove(at: index)
    transfer.priority = .demand
    insert(transfer)
  }

  /// Removes a transfer that was cancelled, has ended after an answer, or goes to another origin.
  mutating func remove(_ id: TransferID, at now: Instant = .now) {
    _ = leave(id, at: now)
    secondAsks.settled(id)
    waiting.removeAll { $0.id == id }
    turns.cancelled(id, next: waiting.first(where: \.isTurnedAway)?.id, at: now)
  }

  /// Notes that bytes of a head or a body came.
  mutating func progressed(_ id: TransferID, bytes: Int, at now: Instant) {
    running[id]?.lastProgress = now
    if running[id]?.servedAt != nil { isServed(id, at: now) }
    lastProgress = now
    status.isInDoubt = false
    status.received(bytes, at: now)
  }

  /// Notes that the head of an answer came. Whatever the status of the answer is, the origin is
  /// reachable.
  mutating func answered(_ id: TransferID, at now: Instant) {
    for id in running.keys { running[id]?.isProbe = false }
    if let started = running[id]?.started { status.answered(after: now - started) }
    secondAsks.settled(id)
    lastProgress = now
    (status.reach, status.isInDoubt) = (.reachable, false)
  }

  /// Takes a transfer that ended without one byte of an answer, and returns its fate.
  mutating func unanswered(_ id: TransferID, reason: String, at now: Instant) -> Fate {
    guard let transfer = leave(id, at: now) else { return .fails }
    (status.lastError, status.isInDoubt) = (reason, true)
    secondAsks.settled(id)
    switch status.reach {
    case .unreachable(_, let next, let probes):
      status.reach = .unreachable(reason: reason, nextProbe: next, probes: probes)
    case .reachable, .unknown:
      if let lastProgress, now - lastProgress < Self.trust { return .fails }
      status.reach = .unreachable(reason: reason, nextProbe: now + pause(after: 0), probes: 0)
    }
    guard !transfer.waiting.failsFast else { return .fails }
    status.failures += 1
    insert(transfer.waiting)
    return .waits
  }

  /// Notes that the request of `id` went over a reused connection.
  mutating func sentOnReused(_ id: TransferID, at now: Instant) {
    secondAsks.sent(id, at: now)
  }

  /// Notes that the client's thread was held up, and could notice no answer until now.
  mutating func heldUp(at now: Instant) {
    secondAsks.heldUp(at: now)
  }

  /// Counts no idle connection any more, because the open ones are not trusted.
  mutating func lostTrust() {
    status.keep(0)
  }

  /// Notes a change of the network. An unreachable origin is then probed at once.
  mutating func networkChanged(at now: Instant) {
    status.keep(0)
    guard case .unreachable(let reason, let next, _) = status.reach else { return }
    status.reach = .unreachable(reason: reason, nextProbe: min(next, now), probes: 0)
    for id in running.keys { running[id]?.isProbe = false }
  }

  /// Notes the final end of a transfer.
  mutating func ended(_ end: TransferEnd, at now: Instant) {
    if end.keepsConnection { status.keep(min(status.idle + 1, Self.places), at: now) }
    if case .busy(let status, let wait) = end { isBusy(for: wait, isSaid: status != nil, at: now) }
    guard let trouble = end.trouble else { return }
    status.lastError = trouble
    status.failures += 1
  }

  /// Notes that the origin wants fewer requests, or none for the time `wait`. `isSaid` is true if
  /// an answer says so now.
  mutating func isBusy(for wait: Duration?, isSaid: Bool, at now: Instant) {
    if isSaid { secondAsks.wasTooMuch(at: now) }
    guard let wait else { return }
    let end = now + min(wait, Self.maxClosure)
    status.closedUntil = max(status.closedUntil ?? now, end)
  }

  // MARK: Decisions

  /// Returns for how long no request must go to the origin; nil if requests can go now.
  func closed(at now: Instant) -> Duration? {
    guard let until = status.closedUntil, until > now else { return nil }
    return until - now
  }

  /// Returns the transfers to start now. These transfers count as running from now on.
  mutating func start(at now: Instant, atMost most: Int = .max) -> [TransferID] {
    guard closed(at: now) == nil else { return [] }
    var started: [TransferID] = []
    while started.count < most, let index = next(at: now) {
      let transfer = waiting.remove(at: index)
      begin(transfer, at: now)
      started.append(transfer.id)
    }
    return started
  }

  /// Returns the transfers whose requests get a second ask now, over new connections.
  mutating func doubtful(at now: Instant) -> [TransferID] {
    guard closed(at: now) == nil, !turns.isSingle(at: now), turns.trial == nil else { return [] }
    return secondAsks.due(usually: status.latency, at: now)
  }

  func nextDoubt(after now: Instant) -> Instant? {
    guard closed(at: now) == nil, !turns.isSingle(at: now), turns.trial == nil else { return nil }
    return secondAsks.next(usually: status.latency, after: now)
  }

  /// Starts `second` as the second ask of `first`. A second ask starts even if `places` transfers
  /// run already.
  mutating func startSecond(_ second: TransferID, of first: TransferID, at now: Instant) {
    guard let transfer = running[first]?.waiting ?? waiting.first(where: { $0.id == first }) else {
      return
    }
    status.requests += 1
    running[second] = Running(
      waiting: transfer.named(second), started: now, lastProgress: now, isProbe: false)
  }

  /// The timeout for the head of an answer on a connection that is perhaps dead.
  var headTimeout: Duration { SecondAsks.timeout(status.latency) }

  var isOutOfReach: Bool {
    if case .unreachable = status.reach { true } else { false }
  }

  /// Returns the next time at which `start` can have work, even without an event; nil if there is
  /// none.
  func nextStart(after now: Instant) -> Instant? {
    guard !waiting.isEmpty else { return nil }
    if closed(at: now) != nil { return status.closedUntil }
    if next(at: now) != nil { return now }
    switch status.reach {
    case .unreachable(_, let nextProbe, _):
      let out = running.values.filter { isOut($0, at: now) }.map(\.started).sorted()
      guard out.count >= Self.maxProbes else { return nextProbe }
      return max(nextProbe, out[out.count - Self.maxProbes] + Self.probeTime)
    case .reachable, .unknown:
      guard running.count < Self.maxRunning else { return nil }
      let active = running.values.lazy.map { $0.lastProgress + Self.silence }.filter { $0 > now }
      return ([active.min(), nextTurn(after: now)].compactMap(\.self)).min()
    }
  }

  // MARK: Figures

  /// The limit of transfers that run at once while bytes come for all of them. Four readers with
  /// four lanes each need 16. A lane asks for its next range before the present one ends, so 8
  /// further transfers only wait for their answers.
  static let places = 24
  static let backgroundPlaces = 2
  /// The limit of transfers that run at once, including silent ones that have given their place
  /// back.
  static let maxRunning = 64
  /// The time without a byte after which a transfer gives its place to another.
  static let silence = Duration.seconds(2)
  /// The longest pause that an origin can demand. Readers do not wait for longer, so an origin that
  /// wants a longer pause is asked again after this one.
  static let maxClosure = Duration.seconds(300)
  /// The time for which the origin counts as reachable after a byte of any transfer.
  static let trust = Duration.seconds(3)
  static let maxProbes = 3
  /// The time after which a silent probe gives its place to another. The silent probe goes on
  /// meanwhile.
  static let probeTime = Duration.seconds(10)

  private static let backoff = Backoff(from: .milliseconds(250), to: .seconds(4))

  /// Returns the pause before the next probe: 0.25, 0.5, 1, 2, 4, 4 … seconds, times `pace`.
  func pause(after probes: Int) -> Duration {
    Self.backoff.delay(afterFailures: probes + 1) * pace
  }
}
