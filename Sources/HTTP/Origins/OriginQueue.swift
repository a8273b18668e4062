/// When the transfers of one origin may start.
///
/// A value that decides and does nothing: it is told what happened, with the instant, and says which
/// transfers are to start. While the origin answers, `places` transfers run, demand before ahead, in
/// the order in which they came; one that is silent gives its place back. When nothing answers, all
/// wait, and one at a time is let go as a probe; the first answer lets all go.
struct OriginQueue {
  typealias Instant = ContinuousClock.Instant

  enum Fate: Equatable {
    /// The origin is out of reach for all: the transfer waits with the others.
    case waits
    /// It is this transfer's own trouble, or it does not want to wait.
    case fails
  }

  /// A transfer that has not started, or waits to start again.
  private struct Waiting {
    var id: TransferID
    var priority: RangeRequest.Priority
    /// Does not wait while the origin is out of reach, but tries once, and fails.
    let isImpatient: Bool
    /// Those that were tried least go first as probes, so that one bad URL does not keep a good one
    /// from proving that the origin answers.
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
    /// It started while the origin was out of reach, and nothing has answered it yet.
    var isProbe: Bool
  }

  /// A factor in 0.8…1 for the pauses between probes, so that many mounts do not knock together.
  private let pace: Double
  private var waiting: [Waiting] = []
  private var running: [TransferID: Running] = [:]
  private var lastProgress: Instant?
  private var secondAsks = SecondAsks()
  /// Connections that were left open by transfers which ended well, as far as can be known here.
  private var kept = 0
  private(set) var status = OriginStatus()

  /// - Parameter jitter: any number in 0..<1, drawn once.
  init(jitter: Double) {
    pace = 1 - 0.2 * jitter
  }

  var hasWaiting: Bool { !waiting.isEmpty }
  var isIdle: Bool { waiting.isEmpty && running.isEmpty }

  // MARK: What happened

  mutating func add(_ id: TransferID, _ priority: RangeRequest.Priority, isImpatient: Bool = false)
  {
    insert(Waiting(id: id, priority: priority, isImpatient: isImpatient))
  }

  /// Somebody waits for it now.
  mutating func hasten(_ id: TransferID) {
    running[id]?.waiting.priority = .demand
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
    var transfer = waiting.remove(at: index)
    transfer.priority = .demand
    insert(transfer)
  }

  /// It was cancelled, or it ended after an answer.
  mutating func remove(_ id: TransferID) {
    running[id] = nil
    secondAsks.settled(id)
    waiting.removeAll { $0.id == id }
  }

  /// Bytes came, of a head or a body.
  mutating func progressed(_ id: TransferID, bytes: Int, at now: Instant) {
    running[id]?.lastProgress = now
    lastProgress = now
    status.received(bytes, at: now)
  }

  /// A response head came, with any status: the origin is there.
  mutating func answered(_ id: TransferID, at now: Instant) {
    for id in running.keys { running[id]?.isProbe = false }
    if let started = running[id]?.started { status.answered(after: now - started) }
    secondAsks.settled(id)
    lastProgress = now
    status.reach = .reachable
  }

  /// A transfer ended without one byte of an answer.
  mutating func unanswered(_ id: TransferID, reason: String, at now: Instant) -> Fate {
    guard let transfer = running.removeValue(forKey: id) else { return .fails }
    status.lastError = reason
    secondAsks.settled(id)
    switch status.reach {
    case .unreachable(_, let next, let probes):
      status.reach = .unreachable(reason: reason, nextProbe: next, probes: probes)
    case .reachable, .unknown:
      if let lastProgress, now - lastProgress < Self.trust { return .fails }
      status.reach = .unreachable(reason: reason, nextProbe: now + pause(after: 0), probes: 0)
    }
    guard !transfer.waiting.isImpatient else { return .fails }
    status.failures += 1
    insert(transfer.waiting)
    return .waits
  }

  /// The request of `id` went over a connection that was kept.
  mutating func sentOnKept(_ id: TransferID, at now: Instant) {
    secondAsks.sent(id, at: now)
  }

  /// Nobody listened until now.
  mutating func heldUp(at now: Instant) {
    secondAsks.heldUp(at: now)
  }

  /// Nothing is known of the connections that were kept.
  mutating func lostTrust() {
    kept = 0
  }

  /// The network is another one: who waits for an origin that was out of reach need not wait for the next
  /// probe.
  mutating func networkChanged(at now: Instant) {
    kept = 0
    guard case .unreachable(let reason, let next, _) = status.reach else { return }
    status.reach = .unreachable(reason: reason, nextProbe: min(next, now), probes: 0)
    for id in running.keys { running[id]?.isProbe = false }
  }

  /// A transfer ended for good, for whatever reason.
  mutating func ended(_ end: TransferEnd, at now: Instant) {
    if end.keepsConnection { kept = min(kept + 1, Self.places) }
    if case .busy(.some, _) = end { secondAsks.wasTooMuch(at: now) }
    if case .busy(_, let wait?) = end {
      let end = now + min(wait, Self.longestClosure)
      status.closedUntil = max(status.closedUntil ?? now, end)
    }
    guard let trouble = end.trouble else { return }
    status.lastError = trouble
    status.failures += 1
  }

  // MARK: What to do

  /// How long nothing may be sent; nil: now.
  func closed(at now: Instant) -> Duration? {
    guard let until = status.closedUntil, until > now else { return nil }
    return until - now
  }

  /// The transfers to start now; they count as running from here on.
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

  /// Requests to ask a second time now, over new connections.
  mutating func doubtful(at now: Instant) -> [TransferID] {
    guard closed(at: now) == nil else { return [] }
    return secondAsks.due(usually: status.latency, at: now)
  }

  func nextDoubt(after now: Instant) -> Instant? {
    closed(at: now) == nil ? secondAsks.next(usually: status.latency, after: now) : nil
  }

  /// `second` asks what `first` has asked; it needs no place of its own.
  mutating func startSecond(_ second: TransferID, of first: TransferID, at now: Instant) {
    guard let transfer = running[first]?.waiting ?? waiting.first(where: { $0.id == first }) else {
      return
    }
    status.requests += 1
    running[second] = Running(
      waiting: transfer.named(second), started: now, lastProgress: now, isProbe: false)
  }

  /// How long the head of an answer is waited for on a connection that is not trusted.
  var headPatience: Duration { SecondAsks.patience(status.latency) }

  var isOutOfReach: Bool {
    if case .unreachable = status.reach { true } else { false }
  }

  /// When `start` may have something to do that no event announces; nil: only after an event.
  func nextStart(after now: Instant) -> Instant? {
    guard !waiting.isEmpty else { return nil }
    if closed(at: now) != nil { return status.closedUntil }
    if next(at: now) != nil { return now }
    switch status.reach {
    case .unreachable(_, let nextProbe, _): return probesOut < Self.mostProbes ? nextProbe : nil
    case .reachable, .unknown:
      guard running.count < Self.mostRunning else { return nil }
      let active = running.values.lazy.map { $0.lastProgress + Self.silence }.filter { $0 > now }
      return active.min()
    }
  }

  // MARK: Figures

  private static let places = 16
  private static let backgroundPlaces = 2
  private static let mostRunning = 64
  /// After this long without a byte a transfer gives its place to another.
  private static let silence = Duration.seconds(2)
  /// For this long after a byte of any transfer the origin is not called unreachable.
  /// An origin that asks for more than readers wait is asked again all the same.
  private static let longestClosure = Duration.seconds(300)
  private static let trust = Duration.seconds(3)
  private static let mostProbes = 3

  /// The pause before the next probe: 0.25, 0.5, 1, 2, 4, 4 … seconds.
  private func pause(after probes: Int) -> Duration {
    min(.milliseconds(250 << min(probes, 4)), .seconds(4)) * pace
  }
}

extension OriginQueue {
  private mutating func insert(_ transfer: Waiting) {
    let index = waiting.firstIndex { transfer.priority < $0.priority }
    waiting.insert(transfer, at: index ?? waiting.endIndex)
  }

  /// Where the transfer waits that may start now.
  private func next(at now: Instant) -> Int? {
    switch status.reach {
    case .reachable, .unknown:
      guard running.count < Self.mostRunning else { return nil }
      let active = running.values.count { now - $0.lastProgress < Self.silence }
      guard active < Self.places, let first = waiting.first else { return nil }
      return first.priority < .background || hasRoomInTheBackground ? waiting.startIndex : nil
    case .unreachable(_, let nextProbe, _):
      if let index = waiting.firstIndex(where: \.isImpatient) { return index }
      guard nextProbe <= now, probesOut < Self.mostProbes else { return nil }
      return waiting.indices.min { rank(waiting[$0]) < rank(waiting[$1]) }
    }
  }

  private func rank(_ transfer: Waiting) -> (Int, Int) {
    (transfer.priority == .demand ? 0 : 1, transfer.tries)
  }

  /// Whether a transfer of the least priority would be in nobody's way.
  private var hasRoomInTheBackground: Bool {
    running.isEmpty
      || kept > 0
        && running.values.count { $0.waiting.priority == .background } < Self.backgroundPlaces
  }

  private var probesOut: Int { running.values.count(where: \.isProbe) }

  private mutating func begin(_ transfer: Waiting, at now: Instant) {
    var transfer = transfer
    transfer.tries += 1
    kept = max(0, kept - 1)
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
