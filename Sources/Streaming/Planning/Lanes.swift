/// The number of fetches of one file that run at once.
///
/// There is one lane while its connection keeps up with the reader. All lanes start when a reader
/// that reads on has to wait. They stay only if together they bring clearly more than one lane did.
/// On a slow line each of many connections is slower, so the reader would wait longer for the next
/// bytes. In that case there is one lane again for a while. A full window or a seek resets to one
/// lane, too.
struct Lanes: Sendable {
  /// A measurement that runs while enough lanes bring bytes.
  private struct Measure {
    let since: Duration
    var bytes = 0
  }

  private(set) var count = 1
  /// Bytes a second of one lane before more lanes started; nil when no trial of more lanes is
  /// running.
  private var rateBefore: Double?
  private var measure: Measure?
  /// The time before which no new trial of more lanes begins, because the last one did not help.
  private var heldUntil: Duration?
  /// The pause until the next trial of more lanes; it doubles with each trial that fails.
  private var backoff = Lanes.minBackoff
  /// Bytes a second of one lane, as last measured.
  private var laneRate: Double?
  /// The time from a request to the head of its answer, as last measured.
  private var latency: Duration = .zero

  /// The period of a measurement: long enough to level out bursts.
  private static let period = Duration.milliseconds(40)
  /// The fewest bytes that give a useful measurement.
  private static let minBytes = 256 << 10
  /// The factor by which many lanes must be faster than one.
  private static let gain = 1.3
  private static let minBackoff = Duration.seconds(10)
  private static let maxBackoff = Duration.seconds(160)
  /// Bytes a second of a fast line, about a gigabit a second. More lanes cannot make it faster.
  private static let fastLine = 100e6
  /// Bytes a second of a slow line, where a failed trial of more lanes delays the reader for long.
  private static let slowLine = 2e6

  /// The bytes that one lane brings during the wait for the next answer; nil before that is
  /// measured. When so few bytes of a fetch are left, the next fetch should start. So few bytes
  /// come sooner than a new connection is open.
  var overlap: Int? {
    laneRate.map { Int(min($0 * (latency / .seconds(1)), 1e9)) }
  }

  /// Notes that an answer began, `waited` after its request.
  mutating func began(after waited: Duration) {
    latency = waited
  }

  /// Counts bytes that came while `streaming` fetches bring bytes. Returns true if there are fewer
  /// lanes now.
  mutating func arrived(_ bytes: Int, streaming: Int, at now: Duration) -> Bool {
    guard streaming >= count else {
      measure = nil
      return false
    }
    guard measure != nil else {
      measure = Measure(since: now)
      return false
    }
    measure?.bytes += bytes
    guard let rate = rate(at: now) else { return false }
    laneRate = rate / Double(count)
    return judge(rate, at: now)
  }

  /// Starts all lanes if they may help, because a reader that reads on is waiting.
  mutating func readerWaits(most: Int, at now: Duration) {
    let isHeld = heldUntil.map { now < $0 } ?? false
    guard count < most, !isHeld, let rate = rate(at: now) ?? knownRate, rate < Self.fastLine else {
      return
    }
    count = most
    rateBefore = rate
    measure = nil
  }

  /// Notes that a fetch has ended after it brought `bytes` in `duration`. `streaming` fetches are
  /// left.
  mutating func ended(_ bytes: Int, in duration: Duration, streaming: Int) {
    if bytes >= Self.minBytes {
      laneRate = Double(bytes) / (max(duration, .milliseconds(1)) / .seconds(1))
    }
    if streaming == 0 { measure = nil }
  }

  /// Resets to one lane, after a seek or when the window is full.
  mutating func reset() {
    count = 1
    rateBefore = nil
    measure = nil
  }

  /// Bytes a second of one lane, as last measured; nil if the line is slow. On a slow line a failed
  /// trial of more lanes delays the reader for long.
  private var knownRate: Double? {
    laneRate.flatMap { $0 < Self.slowLine ? nil : $0 }
  }

  /// Decides whether more lanes are better than one. Returns true if it went back to one lane.
  private mutating func judge(_ rate: Double, at now: Duration) -> Bool {
    guard let before = rateBefore else { return false }
    rateBefore = nil
    guard rate < before * Self.gain else {
      backoff = Self.minBackoff
      return false
    }
    count = 1
    measure = nil
    heldUntil = now + backoff
    backoff = min(backoff * 2, Self.maxBackoff)
    return true
  }

  /// Returns bytes a second; nil while too little is measured.
  private func rate(at now: Duration) -> Double? {
    guard let measure, now - measure.since >= Self.period,
      measure.bytes >= max(Self.minBytes, count * Self.minBytes / 2)
    else {
      return nil
    }
    return Double(measure.bytes) / ((now - measure.since) / .seconds(1))
  }
}
