import Quantities

/// The number of fetches of one file that run at once.
///
/// There is one lane while its connection keeps up with the reader. All lanes start when a reader
/// that reads on has to wait. They stay only if together they bring clearly more than one lane did.
/// On a slow line each of many connections is slower, so the reader would wait longer for the next
/// bytes. In that case there is one lane again for a while. A full window or a seek resets to one
/// lane, too.
///
/// Where a new connection starts slowly, one that is warm is worth more than a new one. On a slow
/// line, what the lanes of a failed trial have under way holds up the reader. In both cases a trial
/// waits until the rate of the only lane has stopped growing, and begins with two lanes.
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
  /// False if a doubt has lifted a hold since more lanes last helped. A second failure counts. Else
  /// a line on which bytes pile up would have one trial after the other.
  private var mayDoubt = true
  /// The pause until the next trial of more lanes; it doubles with each trial that fails.
  private var backoff = Backoff(from: Lanes.minBackoff, to: .seconds(160))
  private(set) var speed: LaneSpeed
  /// The time at which the origin last turned a fetch away.
  private var turnedAwayAt: Duration?
  /// True if the origin serves more fetches at once than there are lanes.
  private var servesMore = true
  private var slowStart: SlowStart
  /// Bytes a second of one lane of a wide line, as an earlier reader has left it.
  private let wideRate: Double?
  /// True if more lanes did not help on this line when they were last tried.
  private var isNarrow: Bool

  /// The fewest bytes that give a useful measurement.
  static let minBytes = 256 << 10
  /// The factor by which many lanes must be faster than one.
  static let gain = 1.3
  private static let minBackoff = Duration.seconds(10)
  /// Bytes a second of a fast line, about a gigabit a second. More lanes cannot make it faster.
  private static let fastLine = 100e6
  /// Bytes a second of a slow line, where a failed trial of more lanes delays the reader for long.
  private static let slowLine = 2e6
  /// Bytes a second of one lane of a wide line. There more lanes start all at once.
  private static let wideLine = 8e6
  /// The time until the first trial on a line that is known to be narrow.
  private static let narrowBackoff = Duration.seconds(80)
  /// The time in which a lane of several brings one piece, if that is more than two round trips. A
  /// longer piece would make the reader wait for the one lane that brings its next bytes.
  private static let pieceTime = 0.1
  /// Bytes of the smallest piece while several lanes run.
  private static let minPiece = 1 << 20
  /// The longest time of a fetch on a slow line, if that is more than the smallest piece there. The
  /// reader waits for the one lane that brings its next bytes, whatever the others bring.
  private static let slowTime = 4.0
  /// The same where connections start slowly, and lanes may be slow. A piece of eight round trips
  /// keeps its connection warm.
  private static let minSlowPiece = 256 << 10
  /// The longest time of a fetch over the only, warm connection, if that is more than these bytes.
  /// Meanwhile no other lane and no other place of the reader gets these bytes.
  private static let warmTime = 20.0
  private static let minWarmPiece = 8 << 20
  /// Bytes of the smallest piece of a trial on a slow line. In slow start it takes six round trips.
  private static let trialPiece = 512 << 10
  /// - Parameter line: the line as an earlier reader has left it, if that is known.
  init(line: KnownLine? = nil) {
    speed = LaneSpeed(line)
    isNarrow = line?.isNarrow ?? false
    slowStart = SlowStart(isSeen: isNarrow)
    wideRate = line.map { Double($0.rate) }.flatMap { $0 < Self.wideLine ? nil : $0 }
  }

  /// True if the line takes a new connection several round trips to come up to speed.
  var startsSlowly: Bool { slowStart.isSeen }

  /// True if a lane may ask for its next piece before the end of the last one. Where connections
  /// start slowly, it keeps its warm one.
  var mayOverlap: Bool { servesMore && !startsSlowly }

  /// True if one warm connection brings all bytes, in fetches that are as long as the reader's
  /// progress allows. More lanes may help one that is not steady, and need bytes to fetch.
  var isOneConnection: Bool { startsSlowly && count == 1 && alone.isSteady }

  /// The line as measured; nil if too little came for that.
  var line: KnownLine? {
    speed.known { isNarrow && $0 < Self.wideLine }
  }

  /// The most bytes of one fetch. While several lanes run, it is what a lane brings in two round
  /// trips. The reader waits for the lane that brings its next bytes, and if the reader stops, the
  /// bytes of all others are useless. So the pieces are no longer than they must be for the next
  /// request of a lane to be answered when the last one ends. If a lane rests between two pieces,
  /// they are longer.
  var piece: Int {
    guard let overlap = speed.overlap, let rate = speed.rate else { return .max }
    guard count > 1 else {
      if startsSlowly { return max(Int(rate * Self.warmTime), Self.minWarmPiece) }
      return rate < Self.slowLine ? slowPiece(rate) : .max
    }
    guard startsSlowly else {
      let least = min(Self.minPiece, slowPiece(rate))
      return max((mayOverlap ? 2 : 8) * overlap, Int(rate * Self.pieceTime), least)
    }
    // A trial that fails must not hold up the reader for long.
    if trial != nil, rate < Self.wideLine { return max(2 * overlap, Self.trialPiece) }
    return max(8 * overlap, Int(rate * Self.pieceTime), Self.minSlowPiece)
  }

  private func slowPiece(_ rate: Double) -> Int {
    max(Int(rate * Self.slowTime), Self.minSlowPiece)
  }

  /// True if one lane brings less than the reader needs, which is `pace` bytes a second. Then the
  /// lanes stay when the window is full, because one of them would fall behind again.
  func areNeeded(for pace: Double) -> Bool {
    guard count > 1, trial == nil, let rate = speed.rate else { return false }
    return rate < pace * Self.spare
  }

  /// The share by which one lane must be faster than its reader.
  private static let spare = 1.1

  /// Notes that an answer began, `waited` after its request.
  mutating func began(after waited: Duration, at now: Duration) {
    slowStart.began(at: now)
    speed.began(after: waited)
  }

  /// Counts bytes that came while `streaming` fetches bring bytes. `isAwaited` is true if a reader
  /// that reads on waits. Returns true if there are fewer lanes now, and the fetches of the others
  /// are to be cancelled.
  mutating func arrived(
    _ bytes: Int, streaming: Int, isAwaited: Bool = true, at now: Duration
  ) -> Bool {
    speed.arrived(bytes)
    slowStart.arrived(bytes, isAlone: streaming == 1, latency: speed.latency, at: now)
    if count == 1 {
      // After a reset, fetches of other lanes may still run. Their sum is not the rate of one lane.
      alone.isAwaited(isAwaited, at: now)
      let trip = startsSlowly ? speed.latency : .zero
      guard alone.arrived(bytes, isValid: streaming == 1, trip: trip, at: now) else { return false }
      speed.rate = alone.rate ?? speed.rate
      reviewVerdict(at: now)
      return false
    }
    alone = Alone()
    guard trial?.arrived(bytes, isValid: streaming >= count, at: now) ?? false else { return false }
    return judge(at: now)
  }

  /// Starts more lanes if they may help, because a reader that reads on is waiting.
  mutating func readerWaits(most: Int, at now: Duration) {
    if isNarrow, heldUntil == nil { heldUntil = now + Self.narrowBackoff }
    let isHeld = heldUntil.map { now < $0 } ?? false
    guard count < most, !isHeld, let rate = rateOfOne, rate < Self.fastLine else { return }
    count = startsSlowly || rate < Self.slowLine ? min(2, most) : most
    trial = Trial(before: rate, most: most, trip: startsSlowly ? speed.latency : .zero)
    alone = Alone()
  }

  /// True if `join` may succeed: more lanes run, or may start now.
  func mayJoin(at now: Duration) -> Bool {
    if count > 1 || startsSlowly { return count > 1 }
    return turnedAwayAt.map { now - $0 > Self.minBackoff } ?? true
  }

  /// Starts more lanes because the only one, which brings `rate` bytes a second, is slower than the
  /// film. Returns false if there is only one lane after that.
  ///
  /// There is no trial. The fetches near the reader are short then, so a line that all lanes share
  /// brings the film no later.
  mutating func join(rate: Double, most: Int, at now: Duration) -> Bool {
    guard mayJoin(at: now) else { return false }
    guard count == 1 else { return true }
    speed.rate = rate
    count = most
    alone = Alone()
    return true
  }

  /// Bytes a second of the only lane if a trial may compare more lanes with it; nil otherwise.
  private var rateOfOne: Double? {
    let rate = alone.rate ?? knownRate
    let isSlow = rate.map { $0 < Self.slowLine } ?? false
    guard startsSlowly || isSlow else { return rate }
    guard let settled = alone.settled else { return startsSlowly ? wideRate : nil }
    let wait =
      settled.rate >= Self.wideLine
      ? Self.wideWait : settled.isSteady ? Self.steadyWait : Self.unsteadyWait
    return settled.time >= wait ? settled.rate : nil
  }

  /// The time for which the only lane runs at its full rate, and a reader waits, before a trial. A
  /// connection that loses packets by chance is unsteady, and others make up for it. One that fills
  /// a slow line is steady, and needs many seconds to fill it again after a trial that fails.
  private static let wideWait = Duration.seconds(1)
  private static let unsteadyWait = Duration.seconds(2)
  private static let steadyWait = Duration.seconds(10)

  /// Notes that a fetch has ended after it brought `bytes` in `duration`. `streaming` fetches are
  /// left.
  mutating func ended(_ bytes: Int, in duration: Duration, streaming: Int) {
    slowStart.stop()
    // The average of a fetch that started slowly is not the rate of its line.
    if bytes >= Self.minBytes, !startsSlowly || speed.rate == nil {
      speed.learn(Double(bytes) / (max(duration, .milliseconds(1)) / .seconds(1)))
    }
    guard streaming == 0 else { return }
    if startsSlowly { alone.pause() } else { alone = Alone() }
  }

  /// Resets to one lane, after a seek or when the window is full.
  mutating func reset() {
    count = 1
    trial = nil
    alone = Alone()
  }

  /// Notes that the origin turned away a fetch that was asked for at `asked`, while it brings bytes
  /// of `serving` others. For a while there are no more lanes than that. If it serves all lanes,
  /// they do not ask for their next piece before the end of the last one any more.
  mutating func turnedAway(askedAt asked: Duration, serving: Int, at now: Duration) {
    guard turnedAwayAt.map({ asked > $0 }) ?? true else { return }
    turnedAwayAt = now
    guard serving < count else {
      servesMore = false
      return
    }
    reset()
    count = max(1, serving)
    hold(at: now)
  }

  /// Bytes a second of one lane, as last measured; nil if the line is slow. On a slow line a failed
  /// trial of more lanes delays the reader for long.
  private var knownRate: Double? {
    speed.rate.flatMap { $0 < Self.slowLine ? nil : $0 }
  }

  /// Decides whether more lanes are better than one. Returns true if the fetches of the others are
  /// to be cancelled.
  private mutating func judge(at now: Duration) -> Bool {
    guard let trial else { return false }
    switch trial.verdict(minBytes: count * Self.minBytes / 2) {
    case nil: return false
    case .helps(let rate)?:
      self.trial = nil
      backoff.reset()
      isNarrow = false
      mayDoubt = true
      if startsSlowly { speed.rate = rate / Double(count) }
      count = trial.most
      return false
    case .fails(let best)?:
      reset()
      hold(at: now)
      isNarrow = true
      doubted = mayDoubt ? best : nil
      // On a line that starts slowly, begun fetches run to their end, because their connections are
      // warm.
      return !startsSlowly
    }
  }

  private mutating func hold(at now: Duration) {
    heldUntil = now + backoff.failed()
    doubted = nil
  }

  /// Lifts the hold if the only lane, measured as long as the trial was, brings clearly less than
  /// all lanes did. Then the rate before the trial was too high, for example because bytes had
  /// piled up.
  private mutating func reviewVerdict(at now: Duration) {
    guard let doubted, let rate = alone.rate, alone.time >= Trial.minTrialTime else { return }
    self.doubted = nil
    guard doubted >= rate * Self.gain else { return }
    heldUntil = now
    isNarrow = false
    mayDoubt = false
    backoff.ease()
  }
}
