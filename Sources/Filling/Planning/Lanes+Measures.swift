extension Lanes {
  /// Bytes, and the time in which they came. Both are counted only while the right number of
  /// fetches runs.
  struct Measure: Sendable {
    private(set) var bytes = 0
    private(set) var time: Duration = .zero
    private var last: Duration?

    /// Counts bytes, and the time since the previous bytes. If `isValid` is false, nothing is
    /// counted, and the next valid bytes only start the clock again.
    mutating func arrived(_ bytes: Int, isValid: Bool, at now: Duration) {
      defer { last = isValid ? now : nil }
      guard isValid, let last else { return }
      self.bytes += bytes
      time += now - last
    }

    /// Starts a new measurement with the bytes that come after `now`.
    mutating func restart(at now: Duration) {
      self = Measure()
      last = now
    }

    /// Returns the rate in bytes a second. Returns nil before `least` has passed and `minBytes`
    /// have come.
    func rate(after least: Duration, _ minBytes: Int) -> Double? {
      guard time >= least, bytes >= minBytes else { return nil }
      return Double(bytes) / (time / .seconds(1))
    }
  }

  /// The rate of the only lane, measured in periods that are long enough to level out bursts.
  struct Alone: Sendable {
    /// The rate of the only lane after it has stopped growing.
    struct Settled {
      /// Bytes a second.
      let rate: Double
      /// The time for which the rate has not grown while a reader waited.
      let time: Duration
      /// True if the rates of the periods hardly differ.
      let isSteady: Bool
    }

    private var period = Measure()
    /// The rate of the last period, in bytes a second; nil before there was one.
    private var before: Double?
    /// The length of all periods together.
    private(set) var time: Duration = .zero
    /// The higher rate of the last two periods, in bytes a second; nil before there were two. The
    /// line may have been silent for a moment in the slower period.
    private(set) var rate: Double?
    /// The rate of the last period in which the rate clearly grew, in bytes a second.
    private var best = 0.0
    /// The sums of all periods since `best` was set. `range` has their lowest and highest rate.
    private var flat: (count: Int, bytes: Int, time: Duration) = (0, 0, .zero)
    private var range: (least: Double, most: Double) = (.infinity, 0)

    /// The times of the first and the last bytes that came while a reader waited. Pauses of up to
    /// `idleGap` between two waits do not count. Nil if no reader waits.
    private var awaited: (first: Duration, last: Duration)?

    /// The least length of a period.
    private static let length = Duration.milliseconds(40)
    /// If no reader has waited for longer than this, the reader has enough bytes. A shorter time
    /// may be a player's pause between two reads.
    private static let idleGap = Duration.milliseconds(50)
    private static let minBytes = Lanes.minBytes / 2
    /// A rate counts as growing if it is higher than `best` by this factor. In slow start, the rate
    /// doubles with each round trip.
    private static let growth = 1.25
    /// The factor by which the rates of a steady connection differ at most.
    private static let steadiness = 1.25

    /// The rate after it has stopped growing; nil while it grows.
    var settled: Settled? {
      guard flat.count > 1 else { return nil }
      return Settled(
        rate: Double(flat.bytes) / (flat.time / .seconds(1)),
        time: min(flat.time, awaited.map { $0.last - $0.first } ?? .zero),
        isSteady: isSteady)
    }

    /// True if the rate has not clearly fallen since it stopped growing. If a connection loses
    /// packets, its rate falls.
    var isSteady: Bool { max(range.most, best) < range.least * Self.steadiness }

    /// Counts bytes. A period lasts at least for `trip`, which is a round trip or zero. Returns
    /// true if a period has ended with these bytes.
    mutating func arrived(_ bytes: Int, isValid: Bool, trip: Duration, at now: Duration) -> Bool {
      period.arrived(bytes, isValid: isValid, at: now)
      guard isValid, let latest = period.rate(after: max(Self.length, trip), Self.minBytes) else {
        return false
      }
      time += period.time
      if let before { rate = max(before, latest) }
      before = latest
      if latest >= best * Self.growth {
        best = latest
        flat = (0, 0, .zero)
        range = (.infinity, 0)
      } else {
        flat = (flat.count + 1, flat.bytes + period.bytes, flat.time + period.time)
        range = (min(range.least, latest), max(range.most, latest))
      }
      period.restart(at: now)
      return true
    }

    /// Notes whether a reader waits for the bytes that came.
    mutating func isAwaited(_ isAwaited: Bool, at now: Duration) {
      if isAwaited {
        awaited = (awaited?.first ?? now, now)
      } else if let last = awaited?.last, now - last > Self.idleGap {
        awaited = nil
      }
    }

    /// Starts a new period with the next bytes, because no fetch brings any.
    mutating func pause() {
      period = Measure()
    }
  }

  /// A trial of more lanes.
  ///
  /// On a busy machine or line, there may be a moment without bytes, and then many at once. Such a
  /// moment makes only one period slow. So a trial fails only if the rate of the whole trial is too
  /// low, and the rates of its last two periods are too low as well.
  struct Trial: Sendable {
    enum Verdict: Equatable {
      /// More lanes help. Together they have this rate, in bytes a second.
      case helps(Double)
      /// More lanes do not help. In their best period they had this rate, in bytes a second.
      case fails(best: Double)
    }

    /// The rate of the only lane before the trial, in bytes a second.
    let before: Double
    /// The number of lanes after a trial that succeeds.
    let most: Int
    /// The least length of a period.
    private let length: Duration
    /// The least length of a trial that fails.
    private let trialTime: Duration
    private var all = Measure()
    private var period = Measure()
    private var best = 0.0
    /// The number of periods in a row, up to the last one, that were hardly better than one lane.
    private var poor = 0

    /// The lower limits of `trialTime` and `length`, however short a round trip is.
    static let minTrialTime = Duration.milliseconds(400)
    private static let minLength = Duration.milliseconds(100)

    /// - Parameter trip: the time of a round trip if new connections start slowly, otherwise zero.
    ///   New connections get six round trips to come up to speed.
    init(before: Double, most: Int, trip: Duration) {
      self.before = before
      self.most = most
      length = max(Self.minLength, trip)
      trialTime = max(Self.minTrialTime, trip * 6)
    }

    /// Counts bytes. Returns true if a period has ended with these bytes.
    mutating func arrived(_ bytes: Int, isValid: Bool, at now: Duration) -> Bool {
      all.arrived(bytes, isValid: isValid, at: now)
      period.arrived(bytes, isValid: isValid, at: now)
      guard let rate = period.rate(after: length, 0) else { return false }
      best = max(best, rate)
      poor = rate < before * Lanes.gain ? poor + 1 : 0
      period.restart(at: now)
      return true
    }

    /// Returns the verdict. Returns nil while too little is measured, or while the whole trial and
    /// its last periods contradict each other.
    func verdict(minBytes: Int) -> Verdict? {
      guard let rate = all.rate(after: length, minBytes) else { return nil }
      if rate >= before * Lanes.gain { return .helps(rate) }
      return all.time >= trialTime && poor > 1 ? .fails(best: best) : nil
    }
  }
}
