/// Decides when the transfers of one origin start.
///
/// A value that decides and does nothing. It takes events with their times, and returns the
/// transfers to start. While the origin answers, up to `places` transfers run at once. Those with
/// higher priority start first, and those of one priority start in the order in which they came. A
/// silent transfer gives its place back.
///
/// While the origin is unreachable, all transfers wait. Single transfers then start as probes, at
/// most `maxProbes` at once. The first answer lets all others start.
struct OriginQueue {
  typealias Instant = ContinuousClock.Instant

  /// The decision about a transfer that got no answer.
  enum Fate: Equatable {
    /// The origin is unreachable. The transfer waits with the others.
    case waits
    /// The transfer ends. Either the origin answers others, or the transfer does not want to wait.
    case fails
  }

  /// A transfer that has not started, or waits to start again.
  private struct Waiting {
    var id: TransferID
    var priority: RangeRequest.Priority
    /// True when the transfer does not wait for an unreachable origin. It tries once, and then
    /// fails.
    let failsFast: Bool
    /// The tries so far. Transfers with the fewest tries probe first, so that one bad URL does not
    /// take every probe.
    var tries = 0

    func named(_ id: TransferID) -> Waiting {
      var other = self
      other.id = id
      return other
    }
  }

  private struct Running {
    var waiting: Waiting
    let started: Instant
    var lastProgress: Instant
    /// True when the transfer started while the origin was unreachable, and no answer has come
    /// since.
    var isProbe: Bool
  }

  /// A factor in 0.8…1 for the pauses between probes. It keeps many mounts from probing at the same
  /// moment.
  private let pace: Double
  private var waiting: [Waiting] = []
  private var running: [TransferID: Running] = [:]
  private var lastProgress: Instant?
  private var secondAsks = SecondAsks()
  private(set) var status = OriginStatus()

  /// - Parameter jitter: any number in 0..<1, drawn once.
  init(jitter: Double) {
    pace = 1 - 0.2 * jitter
  }

  var hasWaiting: Bool { !waiting.isEmpty }
  var isIdle: Bool { waiting.isEmpty && running.isEmpty }

  // MARK: Events

  mutating func add(_ id: TransferID, _ priority: RangeRequest.Priority, failsFast: Bool = false) {
    insert(Waiting(id: id, priority: priority, failsFast: failsFast))
  }

  /// Gives a transfer the priority `demand`, because a reader waits for it now.
  mutating func promote(_ id: TransferID) {
    running[id]?.waiting.priority = .demand
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
    var transfer = waiting.remove(at: index)
    transfer.priority = .demand
    insert(transfer)
  }

  /// Removes a transfer that was cancelled, ended after an answer, or goes elsewhere.
  mutating func remove(_ id: TransferID) {
    running[id] = nil
    secondAsks.settled(id)
    waiting.removeAll { $0.id == id }
  }

  /// Notes that bytes of a head or a body came.
  mutating func progressed(_ id: TransferID, bytes: Int, at now: Instant) {
    running[id]?.lastProgress = now
    lastProgress = now
    status.isInDoubt = false
    status.received(bytes, at: now)
  }

  /// Notes that the head of an answer came. Whatever its status, the origin is reachable.
  mutating func answered(_ id: TransferID, at now: Instant) {
    for id in running.keys { running[id]?.isProbe = false }
    if let started = running[id]?.started { status.answered(after: now - started) }
    secondAsks.settled(id)
    lastProgress = now
    (status.reach, status.isInDoubt) = (.reachable, false)
  }

  /// Takes a transfer that ended without one byte of an answer, and returns its fate.
  mutating func unanswered(_ id: TransferID, reason: String, at now: Instant) -> Fate {
    guard let transfer = running.removeValue(forKey: id) else { return .fails }
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
  mutating func sentOnKept(_ id: TransferID, at now: Instant) {
    secondAsks.sent(id, at: now)
  }

  /// Notes that the client's thread was held up, and could notice no answer until now.
  mutating func heldUp(at now: Instant) {
    secondAsks.heldUp(at: now)
  }

  /// Forgets the connections that transfers left open.
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
    if end.keepsConnection { status.keep(min(status.kept + 1, Self.places), at: now) }
    if case .busy(.some, _) = end { secondAsks.wasTooMuch(at: now) }
    if case .busy(_, let wait?) = end {
      let end = now + min(wait, Self.longestClosure)
      status.closedUntil = max(status.closedUntil ?? now, end)
    }
    guard let trouble = end.trouble else { return }
    status.lastError = trouble
    status.failures += 1
  }

  // MARK: Decisions

  /// Returns for how long nothing may be sent to the origin; nil if requests may go now.
  func closed(at now: Instant) -> Duration? {
    guard let until = status.closedUntil, until > now else { return nil }
    return until - now
  }

  /// Returns the transfers to start now. They count as running from here on.
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

  /// Returns the requests to ask a second time now, over new connections.
  mutating func doubtful(at now: Instant) -> [TransferID] {
    guard closed(at: now) == nil else { return [] }
    return secondAsks.due(usually: status.latency, at: now)
  }

  func nextDoubt(after now: Instant) -> Instant? {
    closed(at: now) == nil ? secondAsks.next(usually: status.latency, after: now) : nil
  }

  /// Starts `second` as the second ask of `first`. A second ask needs no place of its own.
  mutating func startSecond(_ second: TransferID, of first: TransferID, at now: Instant) {
    guard let transfer = running[first]?.waiting ?? waiting.first(where: { $0.id == first }) else {
      return
    }
    status.requests += 1
    running[second] = Running(
      waiting: transfer.named(second), started: now, lastProgress: now, isProbe: false)
  }

  /// The timeout for the head of an answer on a connection that may be dead.
  var headTimeout: Duration { SecondAsks.timeout(status.latency) }

  var isOutOfReach: Bool {
    if case .unreachable = status.reach { true } else { false }
  }

  /// Returns the next time at which `start` may have work, even without an event; nil if there is
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
      return active.min()
    }
  }

  // MARK: Figures

  /// The most transfers that run at once while bytes come for all of them. Four readers with four
  /// lanes each have 16. A lane asks for its next piece before the last one ends, so a third of the
  /// transfers only wait for their answers.
  private static let places = 24
  private static let backgroundPlaces = 2
  /// The most transfers that may run at once, those without a place included.
  private static let maxRunning = 64
  /// The time without a byte after which a transfer gives its place to another.
  private static let silence = Duration.seconds(2)
  /// The longest pause that an origin can impose. Readers do not wait for longer, so an origin that
  /// asks for more is asked again all the same.
  private static let longestClosure = Duration.seconds(300)
  /// The time for which the origin counts as reachable after a byte of any transfer.
  private static let trust = Duration.seconds(3)
  private static let maxProbes = 3
  /// The time after which a silent probe gives its place to another. It may itself go on for longer.
  private static let probeTime = Duration.seconds(10)

  /// Returns the pause before the next probe: 0.25, 0.5, 1, 2, 4, 4 … seconds, times `pace`.
  private func pause(after probes: Int) -> Duration {
    min(.milliseconds(250 << min(probes, 4)), .seconds(4)) * pace
  }
}

extension OriginQueue {
  private mutating func insert(_ transfer: Waiting) {
    let index = waiting.firstIndex { transfer.priority < $0.priority }
    waiting.insert(transfer, at: index ?? waiting.endIndex)
  }

  /// Returns the index of the transfer that may start now; nil if none may.
  private func next(at now: Instant) -> Int? {
    switch status.reach {
    case .reachable, .unknown:
      guard running.count < Self.maxRunning else { return nil }
      let active = running.values.count { now - $0.lastProgress < Self.silence }
      guard active < Self.places, let first = waiting.first else { return nil }
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

  /// Whether a background transfer may start. It must not be in the way of any other transfer.
  private var hasRoomInTheBackground: Bool {
    running.isEmpty
      || status.kept > 0
        && running.values.count { $0.waiting.priority == .background } < Self.backgroundPlaces
  }

  /// Whether a probe is under way that may soon have an answer.
  private func isOut(_ transfer: Running, at now: Instant) -> Bool {
    transfer.isProbe && now - transfer.started < Self.probeTime
  }

  private mutating func begin(_ transfer: Waiting, at now: Instant) {
    var transfer = transfer
    transfer.tries += 1
    status.keep(max(0, status.kept - 1))
    status.requests += 1
    secondAsks.started()
    var isProbe = false
    if case .unreachable(let reason, _, let probes) = status.reach {
      isProbe = true
      status.reach = .unreachable(
        reason: reason, nextProbe: now + pause(after: probes + 1), probes: probes + 1)
    }
    running[transfer.id] = Running(
      waiting: transfer, started: now, lastProgress: now, isProbe: isProbe)
  }
}
