import Quantities

/// Decides how many fetches of one file bring bytes at once (the lanes), and how long they are.
///
/// There is one lane while its connection keeps up with the reader. When a reader past its first
/// fetch has to wait, a trial starts all lanes. They stay only if together they bring clearly more
/// than one lane did. On a slow line, each of many connections is slower, and the reader would only
/// wait longer for its next bytes. So after a failed trial, there is one lane again for a while. A
/// full window or a seek also resets to one lane.
///
/// Where new connections start slowly (`SlowStart`), a warm connection is worth more than a new
/// one. There a trial waits until the rate of the only lane has stopped growing. There, and on a
/// slow line, it begins with two lanes.
struct Lanes: Sendable {
  private(set) var count = 1
  /// The trial of more lanes; nil if none is running.
  private var trial: Trial?
  /// The rate of the only lane, measured while no other fetch brings bytes.
  private var alone = Alone()
  /// The time before which no trial begins. It is set if a trial has failed, if the origin serves
  /// fewer lanes, or if earlier readers have found the line narrow.
  private var heldUntil: Duration?
  /// The best rate of all lanes together in the last trial, in bytes a second. Nil if that trial
  /// did not fail, or if `reviewVerdict` has already reviewed it.
  private var doubted: Double?
  /// The time until the next trial. It doubles when a trial fails, or when the origin refuses some
  /// of the lanes.
  private var backoff = Backoff(from: Lanes.minBackoff, to: .seconds(160))
  private(set) var speed: LaneSpeed
  /// The time at which the origin last refused a fetch because it served others already.
  private var turnedAwayAt: Duration?
  /// False if the origin has refused a further fetch while it served as many fetches as lanes.
  private var servesMore = true
  private var slowStart: SlowStart
  /// The rate of one lane as earlier readers have measured it, in bytes a second; nil if it is
  /// below `wideLine` or not known.
  private let wideRate: Double?
  /// True if more lanes did not help on this line when they were last tried.
  private var isNarrow: Bool

  /// The number of bytes that a useful measurement needs.
  static let minBytes = 256 << 10
  /// The factor by which all lanes together must be faster than one lane.
  static let gain = 1.3
  private static let minBackoff = Duration.seconds(10)
  /// If one lane brings this many bytes a second, about a gigabit, more lanes cannot make the line
  /// faster.
  private static let fastLine = 100e6
  /// A line is slow if one lane brings fewer than this many bytes a second. On such a line, a
  /// failed trial delays the reader for long.
  private static let slowLine = 2e6
  /// A line is wide if one lane brings at least this many bytes a second. On such a line, a trial
  /// costs little, so it begins early even where connections start slowly.
  private static let wideLine = 8e6
  /// The time until the first trial if earlier readers have found the line narrow
  /// (`KnownLine.isNarrow`).
  private static let narrowBackoff = Duration.seconds(80)
  /// The seconds that one of several lanes takes for its piece, unless two round trips are longer.
  /// With longer pieces, the reader would wait for the one lane that brings its next bytes.
  private static let pieceTime = 0.1
  /// The size in bytes of the smallest piece while several lanes run.
  private static let minPiece = 1 << 20
  /// The seconds that a lane takes for its piece on a slow line. With longer pieces, the reader
  /// would wait for the one lane that brings its next bytes.
  private static let slowTime = 4.0
  /// The size in bytes of the smallest piece on a slow line, and of several lanes whose connections
  /// start slowly.
  private static let minSlowPiece = 256 << 10
  /// The seconds that the only, warm connection takes for its piece, which has at least
  /// `minWarmPiece` bytes. A longer piece would keep its bytes from other lanes for too long.
  private static let warmTime = 20.0
  private static let minWarmPiece = 8 << 20
  /// The size in bytes of the smallest piece of a trial where connections start slowly. A new
  /// connection brings it in six round trips.
  private static let trialPiece = 512 << 10
  /// - Parameter line: the line as earlier readers have measured it; nil if they have not.
  init(line: KnownLine? = nil) {
    speed = LaneSpeed(line)
    isNarrow = line?.isNarrow ?? false
    slowStart = SlowStart(isSeen: isNarrow)
    wideRate = line.map { Double($0.rate) }.flatMap { $0 < Self.wideLine ? nil : $0 }
  }

  /// True if a new connection needs several round trips to come up to speed.
  var startsSlowly: Bool { slowStart.isSeen }

  /// True if a lane is allowed to request its next piece before its last piece has ended. Where
  /// connections start slowly, a lane waits for that end, to use its warm connection again.
  var mayOverlap: Bool { servesMore && !startsSlowly }

  /// True if one warm connection with a steady rate brings all bytes. Its fetches are as long as
  /// the reader's progress allows. If the rate is not steady, more lanes might help, and such long
  /// fetches would leave no bytes for them.
  var isOneConnection: Bool { startsSlowly && count == 1 && alone.isSteady }

  /// The latency and rate for later readers; nil if too few bytes came to measure them.
  var line: KnownLine? {
    speed.known { isNarrow && $0 < Self.wideLine }
  }

  /// The limit for the bytes of one fetch. While several lanes run, this is the number that a lane
  /// brings in two round trips. Then the answer to its next request comes when its last piece ends.
  /// Longer pieces would do harm: the reader waits for the one lane that brings its next bytes, and
  /// if the reader stops, the bytes of the other lanes are useless. If a lane requests only after
  /// its last piece has ended, pieces are longer, because the lane brings nothing in between.
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
    // If the trial fails, its pieces must not hold up the reader for long.
    if trial != nil, rate < Self.wideLine { return max(2 * overlap, Self.trialPiece) }
    // A piece of eight round trips keeps its connection warm.
    return max(8 * overlap, Int(rate * Self.pieceTime), Self.minSlowPiece)
  }

  /// Returns the size in bytes of a piece on a slow line.
  private func slowPiece(_ rate: Double) -> Int {
    max(Int(rate * Self.slowTime), Self.minSlowPiece)
  }

  /// Returns whether one lane brings less than the reader needs, which is `pace` bytes a second.
  /// Then all lanes stay even when the window is full, because one lane would fall behind again.
  func areNeeded(for pace: Double) -> Bool {
    guard count > 1, trial == nil, let rate = speed.rate else { return false }
    return rate < pace * Self.spare
  }

  /// The factor by which one lane must be faster than its reader.
  private static let spare = 1.1

  /// Notes that an answer began, the time `waited` after its request.
  mutating func began(after waited: Duration, at now: Duration) {
    slowStart.began(at: now)
    speed.began(after: waited)
  }

  /// Counts bytes that came. `streaming` is the number of fetches that bring bytes now. `isAwaited`
  /// is true if a reader past its first fetch waits. Returns true if there are fewer lanes now, so
  /// that the caller must cancel the fetches of the other lanes.
  mutating func arrived(
    _ bytes: Int, streaming: Int, isAwaited: Bool = true, at now: Duration
  ) -> Bool {
    speed.arrived(bytes)
    slowStart.arrived(bytes, isAlone: streaming == 1, latency: speed.latency, at: now)
    if count == 1 {
      // After a reset, fetches of other lanes can still run. Then the rate of all bytes is not the
      // rate of one lane.
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

  /// Starts a trial of up to `most` lanes if they can help, because a reader past its first fetch
  /// is waiting.
  mutating func readerWaits(most: Int, at now: Duration) {
    if isNarrow, heldUntil == nil { heldUntil = now + Self.narrowBackoff }
    let isHeld = heldUntil.map { now < $0 } ?? false
    guard count < most, !isHeld, let rate = rateOfOne, rate < Self.fastLine else { return }
    count = startsSlowly || rate < Self.slowLine ? min(2, most) : most
    trial = Trial(before: rate, most: most, trip: startsSlowly ? speed.latency : .zero)
    alone = Alone()
  }

  /// Returns whether `join` can succeed: several lanes run, or are allowed to start now.
  func mayJoin(at now: Duration) -> Bool {
    if count > 1 || startsSlowly { return count > 1 }
    return turnedAwayAt.map { now - $0 > Self.minBackoff } ?? true
  }

  /// Starts all lanes, `most` of them, because the only lane is slower than the file plays. `rate`
  /// is the rate of that lane in bytes a second. Returns false if there is still only one lane.
  ///
  /// There is no trial. Near the reader, fetches of several lanes are short. So even if the lanes
  /// only share a slow line, the bytes for the reader come no later.
  mutating func join(rate: Double, most: Int, at now: Duration) -> Bool {
    guard mayJoin(at: now) else { return false }
    guard count == 1 else { return true }
    speed.rate = rate
    count = most
    alone = Alone()
    return true
  }

  /// The rate of the only lane, in bytes a second, with which a trial compares more lanes; nil if
  /// no trial is allowed to begin now.
  private var rateOfOne: Double? {
    guard startsSlowly else { return alone.rate ?? knownRate }
    guard let settled = alone.settled else { return wideRate }
    let wait =
      settled.rate >= Self.wideLine
      ? Self.wideWait : settled.isSteady ? Self.steadyWait : Self.unsteadyWait
    return settled.time >= wait ? settled.rate : nil
  }

  /// How long the only lane must have run at its full rate, while a reader waited, before a trial
  /// begins. If packets are lost by chance, the rate is unsteady, and more lanes make up for the
  /// losses. If the lane fills a slow line, its rate is steady. After a failed trial, that lane
  /// would need many seconds to fill the line again.
  private static let wideWait = Duration.seconds(1)
  private static let unsteadyWait = Duration.seconds(2)
  private static let steadyWait = Duration.seconds(10)

  /// Notes that a fetch has ended that brought `bytes` in `duration`. `streaming` is the number of
  /// other fetches that still bring bytes.
  mutating func ended(_ bytes: Int, in duration: Duration, streaming: Int) {
    slowStart.stop()
    // The average rate of a fetch that started slowly is below the rate of its line.
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

  /// Notes that the origin refused a fetch, requested at `asked`, while `serving` other fetches
  /// bring bytes. If there are more lanes than `serving`, only `serving` lanes are left for a
  /// while. Otherwise each lane from now on requests its next piece only after its last one has
  /// ended. A fetch that was requested before the previous refusal does not count.
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

  /// The last measured rate of one lane, in bytes a second; nil if the line is slow, because there
  /// a trial waits until the only lane was measured once more.
  private var knownRate: Double? {
    speed.rate.flatMap { $0 < Self.slowLine ? nil : $0 }
  }

  /// Judges the trial. Returns true if it has failed, so that the caller must cancel the fetches of
  /// the other lanes.
  private mutating func judge(at now: Duration) -> Bool {
    guard let trial else { return false }
    switch trial.verdict(minBytes: count * Self.minBytes / 2) {
    case nil: return false
    case .helps(let rate)?:
      self.trial = nil
      backoff.reset()
      isNarrow = false
      if startsSlowly { speed.rate = rate / Double(count) }
      count = trial.most
      return false
    case .fails(let best)?:
      reset()
      hold(at: now)
      isNarrow = true
      doubted = best
      // Where connections start slowly, the other fetches run to their end, because their
      // connections are warm.
      return !startsSlowly
    }
  }

  /// Allows no trial until the next backoff has ended.
  private mutating func hold(at now: Duration) {
    heldUntil = now + backoff.failed()
    doubted = nil
  }

  /// How long the only lane is measured after a failed trial before the verdict is reviewed. At
  /// first that lane shares the line with the last bytes of the cancelled lanes.
  private static let reviewTime = Trial.minTrialTime * 2

  /// Reviews the verdict of a failed trial, after the only lane was measured for `reviewTime`. If
  /// this lane brings clearly less than all lanes did, a new trial is allowed at once. In that case
  /// the rate measured before the trial was too high, for example because bytes had piled up.
  private mutating func reviewVerdict(at now: Duration) {
    guard let doubted, let rate = alone.rate, alone.time >= Self.reviewTime else { return }
    self.doubted = nil
    guard doubted >= rate * Self.gain else { return }
    heldUntil = now
    isNarrow = false
    backoff.ease()
  }
}
