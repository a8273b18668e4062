/// The number of fetches of one file that run at once.
///
/// There is one lane while its connection keeps up with the reader. All lanes start when a reader
/// that reads on has to wait. They stay only if together they bring clearly more than one lane did.
/// On a slow line each of many connections is slower, so the reader would wait longer for the next
/// bytes. In that case there is one lane again for a while. A full window or a seek resets to one
/// lane, too.
struct Lanes: Sendable {
  private(set) var count = 1
  /// The running trial of more lanes; nil if none is running.
  private var trial: Trial?
  /// The measurement of the only lane while nothing else brings bytes.
  private var alone = Alone()
  /// The time before which no new trial of more lanes begins, because the last one did not help.
  private var heldUntil: Duration?
  /// Bytes a second of all lanes in the best period of the last trial, while its verdict may be
  /// wrong.
  private var doubted: Double?
  /// The pause until the next trial of more lanes; it doubles with each trial that fails.
  private var backoff = Lanes.minBackoff
  /// Bytes a second of one lane, as last measured.
  private var laneRate: Double?
  /// The time from a request to the head of its answer, as last measured.
  private(set) var latency: Duration = .zero
  /// The number of bytes that came.
  private var brought = 0
  /// The time at which the origin last turned a fetch away.
  private var turnedAwayAt: Duration?
  /// True if a lane may ask for its next piece before the end of the last one.
  private(set) var mayOverlap = true

  /// The fewest bytes that give a useful measurement.
  fileprivate static let minBytes = 256 << 10
  /// The factor by which many lanes must be faster than one.
  fileprivate static let gain = 1.3
  private static let minBackoff = Duration.seconds(10)
  private static let maxBackoff = Duration.seconds(160)
  /// Bytes a second of a fast line, about a gigabit a second. More lanes cannot make it faster.
  private static let fastLine = 100e6
  /// Bytes a second of a slow line, where a failed trial of more lanes delays the reader for long.
  private static let slowLine = 2e6
  /// The time in which a lane of several brings one piece, if that is more than two round trips. A
  /// longer piece would make the reader wait for the one lane that brings its next bytes.
  private static let pieceTime = 0.1
  /// Bytes of the smallest piece while several lanes run.
  private static let minPiece = 1 << 20
  /// The fewest bytes after which the line counts as known. A look at a head is too short for that.
  private static let minKnown = 4 << 20

  /// - Parameter line: the line as an earlier reader has left it, if that is known.
  init(line: KnownLine? = nil) {
    laneRate = line.map { Double($0.rate) }
    latency = line?.latency ?? .zero
  }

  /// The line as measured; nil if too little came for that.
  var line: KnownLine? {
    guard brought >= Self.minKnown, let laneRate, latency > .zero else { return nil }
    return KnownLine(latency: latency, rate: Int(laneRate))
  }

  /// The bytes that one lane brings during the wait for the next answer; nil before that is
  /// measured. When so few bytes of a fetch are left, the next fetch should start. So few bytes
  /// come sooner than a new connection is open.
  var overlap: Int? {
    laneRate.map { Int(min($0 * (latency / .seconds(1)), 1e9)) }
  }

  /// The most bytes of one fetch. While several lanes run, it is what a lane brings in two round
  /// trips. The reader waits for the lane that brings its next bytes, and if the reader stops, the
  /// bytes of all others are of no use. So the pieces are no longer than they must be for the next
  /// request of a lane to be answered when the last one ends. If a lane rests between two pieces,
  /// they are longer.
  var piece: Int {
    guard count > 1, let overlap, let laneRate else { return .max }
    let trips = mayOverlap ? 2 : 8
    return max(trips * overlap, Int(laneRate * Self.pieceTime), Self.minPiece)
  }

  /// Returns the time in which one lane brings `bytes`; nil before that is measured.
  func time(for bytes: Int) -> Duration? {
    laneRate.map { .seconds(Double(bytes) / max($0, 1)) }
  }

  /// Notes that an answer began, `waited` after its request. A single long wait counts little,
  /// because the request may have waited for its place or for a new connection.
  mutating func began(after waited: Duration) {
    let isFirstOrLess = latency == .zero || waited < latency
    latency = isFirstOrLess ? waited : latency + (waited - latency) / 8
  }

  /// Counts bytes that came while `streaming` fetches bring bytes. Returns true if there are fewer
  /// lanes now.
  mutating func arrived(_ bytes: Int, streaming: Int, at now: Duration) -> Bool {
    brought += bytes
    if count == 1 {
      // After a reset, fetches of other lanes may still run. Their sum is not the rate of one lane.
      guard alone.arrived(bytes, isValid: streaming == 1, at: now) else { return false }
      laneRate = alone.rate ?? laneRate
      reviewVerdict()
      return false
    }
    alone = Alone()
    guard trial?.arrived(bytes, isValid: streaming >= count, at: now) ?? false else { return false }
    return judge(at: now)
  }

  /// Starts all lanes if they may help, because a reader that reads on is waiting.
  mutating func readerWaits(most: Int, at now: Duration) {
    let isHeld = heldUntil.map { now < $0 } ?? false
    guard count < most, !isHeld, let rate = alone.rate ?? knownRate, rate < Self.fastLine else {
      return
    }
    count = most
    trial = Trial(before: rate)
    alone = Alone()
  }

  /// Notes that a fetch has ended after it brought `bytes` in `duration`. `streaming` fetches are
  /// left.
  mutating func ended(_ bytes: Int, in duration: Duration, streaming: Int) {
    if bytes >= Self.minBytes {
      learn(Double(bytes) / (max(duration, .milliseconds(1)) / .seconds(1)))
    }
    if streaming == 0 { alone = Alone() }
  }

  /// Resets to one lane, after a seek or when the window is full.
  mutating func reset() {
    count = 1
    trial = nil
    alone = Alone()
  }

  /// Notes that the origin turned away a fetch that was asked for at `asked`, while it brings bytes
  /// of `serving` others. There are only so many lanes for a while. If it serves all lanes, they do
  /// not ask for their next piece before the end of the last one any more.
  mutating func turnedAway(askedAt asked: Duration, serving: Int, at now: Duration) {
    guard turnedAwayAt.map({ asked > $0 }) ?? true else { return }
    turnedAwayAt = now
    guard serving < count else {
      mayOverlap = false
      return
    }
    reset()
    count = max(1, serving)
    hold(at: now)
  }

  /// Takes the rate of one fetch. It counts half, and never for more than twice the known rate:
  /// bytes that had piled up come very fast.
  private mutating func learn(_ rate: Double) {
    laneRate = laneRate.map { ($0 + min(rate, 2 * $0)) / 2 } ?? rate
  }

  /// Bytes a second of one lane, as last measured; nil if the line is slow. On a slow line a failed
  /// trial of more lanes delays the reader for long.
  private var knownRate: Double? {
    laneRate.flatMap { $0 < Self.slowLine ? nil : $0 }
  }

  /// Decides whether more lanes are better than one. Returns true if it went back to one lane.
  private mutating func judge(at now: Duration) -> Bool {
    guard let trial else { return false }
    switch trial.verdict(minBytes: count * Self.minBytes / 2) {
    case nil: return false
    case .helps?:
      self.trial = nil
      backoff = Self.minBackoff
      return false
    case .fails(let best)?:
      reset()
      hold(at: now)
      doubted = best
      return true
    }
  }

  private mutating func hold(at now: Duration) {
    heldUntil = now + backoff
    backoff = min(backoff * 2, Self.maxBackoff)
    doubted = nil
  }

  /// Lifts the hold if the only lane, measured as long as the trial was, brings clearly less than
  /// all lanes did. Then the rate before the trial was too high, for example because bytes had
  /// piled up.
  private mutating func reviewVerdict() {
    guard let doubted, let rate = alone.rate, alone.time >= Trial.patience else { return }
    self.doubted = nil
    guard doubted >= rate * Self.gain else { return }
    heldUntil = nil
    backoff = max(backoff / 2, Self.minBackoff)
  }
}

extension Lanes {
  /// The bytes that came in a time, without the times in which too few fetches brought bytes.
  fileprivate struct Measure: Sendable {
    private(set) var bytes = 0
    private(set) var time: Duration = .zero
    private var last: Duration?

    /// Counts bytes, and the time since the last ones. If this is not valid, the next bytes only
    /// start the clock again.
    mutating func arrived(_ bytes: Int, isValid: Bool, at now: Duration) {
      defer { last = isValid ? now : nil }
      guard isValid, let last else { return }
      self.bytes += bytes
      time += now - last
    }

    /// Starts again with the bytes after those that came now.
    mutating func restart(at now: Duration) {
      self = Measure()
      last = now
    }

    /// Returns bytes a second; nil while too little is measured.
    func rate(after least: Duration, _ minBytes: Int) -> Double? {
      guard time >= least, bytes >= minBytes else { return nil }
      return Double(bytes) / (time / .seconds(1))
    }
  }

  /// The rate of the only lane, in periods that are long enough to level out bursts.
  fileprivate struct Alone: Sendable {
    private var period = Measure()
    private var before: Double?
    /// The time of all periods.
    private(set) var time: Duration = .zero
    /// Bytes a second of the better one of the last two periods; nil before there were two. In one
    /// of them the line may have been silent for a moment.
    private(set) var rate: Double?

    private static let length = Duration.milliseconds(40)
    private static let minBytes = Lanes.minBytes / 2

    /// Counts bytes. Returns true if a period is over.
    mutating func arrived(_ bytes: Int, isValid: Bool, at now: Duration) -> Bool {
      period.arrived(bytes, isValid: isValid, at: now)
      guard isValid, let latest = period.rate(after: Self.length, Self.minBytes) else {
        return false
      }
      time += period.time
      if let before { rate = max(before, latest) }
      before = latest
      period.restart(at: now)
      return true
    }
  }

  /// A trial of more lanes.
  ///
  /// On a busy machine or line, nothing may come for a moment, and much after that. So the trial
  /// ends only when its sum says that more lanes do not help, and its last two periods do, too. One
  /// moment is never in two periods.
  fileprivate struct Trial: Sendable {
    enum Verdict: Equatable {
      case helps
      /// More lanes do not help. In the best period they brought this rate.
      case fails(best: Double)
    }

    /// Bytes a second of one lane before the trial.
    let before: Double
    private var all = Measure()
    private var period = Measure()
    private var best = 0.0
    /// The number of periods in a row with no more than one lane would bring.
    private var poor = 0

    /// The shortest trial that fails.
    static let patience = Duration.milliseconds(400)
    private static let length = Duration.milliseconds(100)

    init(before: Double) {
      self.before = before
    }

    /// Counts bytes. Returns true if a period is over.
    mutating func arrived(_ bytes: Int, isValid: Bool, at now: Duration) -> Bool {
      all.arrived(bytes, isValid: isValid, at: now)
      period.arrived(bytes, isValid: isValid, at: now)
      guard let rate = period.rate(after: Self.length, 0) else { return false }
      best = max(best, rate)
      poor = rate < before * Lanes.gain ? poor + 1 : 0
      period.restart(at: now)
      return true
    }

    /// Returns the verdict; nil while too little is measured, or while the sum and the last periods
    /// contradict each other.
    func verdict(minBytes: Int) -> Verdict? {
      guard let rate = all.rate(after: Self.length, minBytes) else { return nil }
      if rate >= before * Lanes.gain { return .helps }
      return all.time >= Self.patience && poor > 1 ? .fails(best: best) : nil
    }
  }
}
