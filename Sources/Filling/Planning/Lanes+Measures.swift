extension Lanes {
  /// The bytes that came in a time, without the times in which too few fetches brought bytes.
  struct Measure: Sendable {
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
  struct Alone: Sendable {
    /// The rate of the only lane since it has stopped growing.
    struct Settled {
      /// Bytes a second.
      let rate: Double
      /// The time for which it has not grown, and a reader has waited.
      let time: Duration
      /// True if the periods hardly differ.
      let isSteady: Bool
    }

    private var period = Measure()
    private var before: Double?
    /// The time of all periods.
    private(set) var time: Duration = .zero
    /// Bytes a second of the better one of the last two periods; nil before there were two. In one
    /// of them the line may have been silent for a moment.
    private(set) var rate: Double?
    /// Bytes a second of the best period that was clearly better than those before it.
    private var best = 0.0
    /// The periods since then, and the least and the most of them in bytes a second.
    private var flat: (count: Int, bytes: Int, time: Duration) = (0, 0, .zero)
    private var range: (least: Double, most: Double) = (.infinity, 0)

    /// The first and the last bytes that a reader waited for, without a rest between them.
    private var awaited: (first: Duration, last: Duration)?

    private static let length = Duration.milliseconds(40)
    /// A reader that rests for longer has enough. A player does so between two of its reads.
    private static let idleGap = Duration.milliseconds(50)
    private static let minBytes = Lanes.minBytes / 2
    /// A rate that grows by less is not that of slow start, which doubles in a round trip.
    private static let growth = 1.25
    private static let steadiness = 1.25

    /// The rate since it has stopped growing; nil while it grows.
    var settled: Settled? {
      guard flat.count > 1 else { return nil }
      return Settled(
        rate: Double(flat.bytes) / (flat.time / .seconds(1)),
        time: min(flat.time, awaited.map { $0.last - $0.first } ?? .zero),
        isSteady: isSteady)
    }

    /// True if the rate has never fallen clearly. A connection that loses packets is not steady.
    var isSteady: Bool { max(range.most, best) < range.least * Self.steadiness }

    /// Counts bytes. A period lasts for `trip` at least. Returns true if a period is over.
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

    /// Starts a new period with the next bytes, because no fetch runs.
    mutating func pause() {
      period = Measure()
    }
  }

  /// A trial of more lanes.
  ///
  /// On a busy machine or line, nothing may come for a moment, and much after that. So the trial
  /// ends only when its sum says that more lanes do not help, and its last two periods do, too. One
  /// moment is never in two periods.
  struct Trial: Sendable {
    enum Verdict: Equatable {
      /// More lanes help. Together they bring this rate.
      case helps(Double)
      /// More lanes do not help. In the best period they brought this rate.
      case fails(best: Double)
    }

    /// Bytes a second of one lane before the trial.
    let before: Double
    /// The number of lanes if more of them help.
    let most: Int
    private let length: Duration
    private let trialTime: Duration
    private var all = Measure()
    private var period = Measure()
    private var best = 0.0
    /// The number of periods in a row with no more than one lane would bring.
    private var poor = 0

    /// The shortest trial that fails, and its periods.
    static let minTrialTime = Duration.milliseconds(400)
    private static let minLength = Duration.milliseconds(100)

    /// - Parameter trip: a round trip if new connections start slowly. They get six of them to come
    ///   up to speed.
    init(before: Double, most: Int, trip: Duration) {
      self.before = before
      self.most = most
      length = max(Self.minLength, trip)
      trialTime = max(Self.minTrialTime, trip * 6)
    }

    /// Counts bytes. Returns true if a period is over.
    mutating func arrived(_ bytes: Int, isValid: Bool, at now: Duration) -> Bool {
      all.arrived(bytes, isValid: isValid, at: now)
      period.arrived(bytes, isValid: isValid, at: now)
      guard let rate = period.rate(after: length, 0) else { return false }
      best = max(best, rate)
      poor = rate < before * Lanes.gain ? poor + 1 : 0
      period.restart(at: now)
      return true
    }

    /// Returns the verdict; nil while too little is measured, or while the sum and the last periods
    /// contradict each other.
    func verdict(minBytes: Int) -> Verdict? {
      guard let rate = all.rate(after: length, minBytes) else { return nil }
      if rate >= before * Lanes.gain { return .helps(rate) }
      return all.time >= trialTime && poor > 1 ? .fails(best: best) : nil
    }
  }
}
