/// Finds out whether an origin serves one request at a time, and remembers it.
///
/// Some servers turn a second request away while they serve a first one: with 403, 429, 458, 503 or
/// 509, or by closing the connection. But such an answer can have other reasons. So a request that
/// was turned away while another one was served is sent again, alone: this is a trial. If two
/// trials in a row succeed, the origin gets one request at a time, for an hour.
///
/// A value that only decides, without side effects. There is only one trial at once, and it is
/// short, because other requests wait for it.
struct Turns {
  typealias Instant = ContinuousClock.Instant

  /// A request that was turned away, and that is sent again, alone.
  struct Trial: Equatable {
    let id: TransferID
    /// The time before which the trial must not start.
    let begins: Instant
    /// The time at which the trial is given up, unless it has started.
    let ends: Instant
    var isRunning = false
  }

  /// The statuses by which servers turn a second request away.
  static let statuses: Set<Int> = [403, 429, 458, 503, 509]

  private(set) var trial: Trial?
  /// The number of trials in a row that succeeded.
  private var successes = 0
  private var singleUntil: Instant?
  /// The time before which no trial begins.
  private var nextTrial: Instant?

  /// Whether the origin gets one request at a time.
  func isSingle(at now: Instant) -> Bool {
    singleUntil.map { $0 > now } ?? false
  }

  /// Whether other requests, which were not turned away, have to wait for the trial now.
  func holds(at now: Instant) -> Bool {
    trial.map { $0.begins + Self.maxWait > now } ?? false
  }

  /// Whether the trial is given up, because the origin has served other requests all the time.
  func isOver(at now: Instant) -> Bool {
    trial.map { !$0.isRunning && $0.ends <= now } ?? false
  }

  // MARK: Events

  /// Notes that the request of `id` was turned away while another one was served. Returns true if
  /// the request waits for a trial, or for the end of the present trial. Otherwise the answer that
  /// turned it away counts.
  ///
  /// - Parameters:
  ///   - wait: the pause that the origin asked for; nil if it asked for none.
  ///   - isBusy: true if the answer says that the request will succeed later. The trial is then
  ///     given up sooner.
  mutating func turnedAway(
    _ id: TransferID, for wait: Duration?, isBusy: Bool, at now: Instant
  ) -> Bool {
    guard trial?.id != id else {
      failed(at: now)
      return false
    }
    guard (wait ?? .zero) <= Self.maxPause else { return false }
    if trial != nil { return true }
    guard nextTrial.map({ $0 <= now }) ?? true else { return false }
    begin(id, after: wait ?? .zero, isBusy: isBusy, at: now)
    return true
  }

  /// Notes that the request of the trial has started.
  mutating func started(_ id: TransferID) {
    if trial?.id == id { trial?.isRunning = true }
  }

  /// Notes that the origin serves the request of `id`. Returns whether this ends a trial.
  ///
  /// - Parameter isAlone: false if the origin serves another request at the same time.
  mutating func served(_ id: TransferID, isAlone: Bool, at now: Instant) -> Bool {
    guard trial?.id == id else {
      if !isAlone { servesBeside(at: now) }
      return false
    }
    trial = nil
    guard isAlone else { return true }
    successes += 1
    if successes >= Self.enough { singleUntil = now + Self.memory }
    return true
  }

  /// Notes that a request was accepted while another one was served. This is no proof that it
  /// serves several at once, because it has perhaps sent all of the other answer already. But the
  /// row of successful trials ends.
  private mutating func servesBeside(at now: Instant) {
    guard successes > 0, !isSingle(at: now) else { return }
    successes = 0
    nextTrial = now + Self.failurePause
  }

  /// True if at least one trial has suggested that the origin serves one request at a time. Such a
  /// result can be wrong.
  var mayBeDisproved: Bool { successes > 0 || singleUntil != nil }

  /// Notes that the origin has served several requests at once for a while.
  mutating func servesSeveral(at now: Instant) {
    guard mayBeDisproved else { return }
    (successes, singleUntil) = (0, nil)
    nextTrial = now + Self.disproof
  }

  /// Notes that the trial showed nothing, or that the request also fails when it is sent alone.
  mutating func failed(at now: Instant) {
    trial = nil
    successes = 0
    nextTrial = now + Self.failurePause
  }

  /// Notes that the request of the trial was cancelled. Another request that was turned away takes
  /// its place, if there is one.
  mutating func cancelled(_ id: TransferID, next: TransferID?, at now: Instant) {
    guard trial?.id == id else { return }
    trial = nil
    if let next { begin(next, after: .zero, isBusy: false, at: now) }
  }

  private mutating func begin(
    _ id: TransferID, after wait: Duration, isBusy: Bool, at now: Instant
  ) {
    let begins = now + wait
    trial = Trial(id: id, begins: begins, ends: begins + (isBusy ? Self.maxWait : Self.maxPause))
  }

  // MARK: Figures

  /// The longest time for which other requests wait for a trial.
  static let maxWait = Duration.seconds(2)
  /// The longest time for which a trial waits until no other request runs, and the longest pause
  /// that an origin can ask for before a trial.
  static let maxPause = Duration.seconds(10)
  /// The pause before the next trial, after a trial has failed.
  static let failurePause = Duration.seconds(30)
  /// The pause before the next trial, after the origin has served several requests at once though
  /// trials had succeeded.
  static let disproof = Duration.seconds(300)
  /// If two requests both bring bytes for this time, the origin serves both at the same time.
  static let together = Duration.milliseconds(500)
  /// The number of trials in a row that must succeed to show that the origin serves one request at
  /// a time.
  static let enough = 2
  /// The time for which it is remembered that an origin serves one request at a time.
  static let memory = Duration.seconds(3600)
}
