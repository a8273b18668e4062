/// How many fetches of one file run at once.
///
/// One, as long as its connection keeps up with the reader. When a reader that reads on waits, as many
/// as there may be: but it stays so only if they bring clearly more than one did. Where many connections
/// share one slow line, each of them is slower, and the reader would wait longer for the bytes next to
/// it: then it is one again, for a while. When the window is full, or after a seek, it is one as well.
struct Lanes: Sendable {
  /// What is measured while enough lanes bring bytes.
  private struct Measure {
    let since: Duration
    var bytes = 0
  }

  private(set) var count = 1
  /// Bytes a second of one, while it is not yet judged whether more are better.
  private var rateBefore: Double?
  private var measure: Measure?
  /// More lanes were no help: it is not tried again before.
  private var heldUntil: Duration?
  /// After this time it is tried again whether more lanes help; longer each time that they do not.
  private var patience = Lanes.shortestPatience
  /// Bytes a second of one lane, when it was last measured.
  private var laneRate: Double?
  /// From asking to the head of the answer, when it was last measured.
  private var latency: Duration = .zero

  /// Long enough that the bursts in which bytes come do not matter.
  private static let period = Duration.milliseconds(40)
  private static let leastBytes = 256 << 10
  /// What many lanes must bring for each byte of one.
  private static let gain = 1.3
  private static let shortestPatience = Duration.seconds(10)
  private static let longestPatience = Duration.seconds(160)
  /// Bytes a second of a line that more lanes cannot make faster: a gigabit.
  private static let fastLine = 100e6
  private static let slowLine = 2e6  // the same, of one on which a trial that fails is long felt

  /// Bytes that one lane brings while the next answer is awaited; nil before that was measured. With so
  /// few left the next fetch is to be on its way, and so few are not worth the loss of a connection.
  var overlap: Int? {
    laneRate.map { Int(min($0 * (latency / .seconds(1)), 1e9)) }
  }

  /// An answer has begun, `waited` after it was asked for.
  mutating func began(after waited: Duration) {
    latency = waited
  }

  /// Bytes came, while `streaming` fetches bring some; returns whether there are fewer lanes now.
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

  /// A reader that reads on waits.
  mutating func readerWaits(most: Int, at now: Duration) {
    let isHeld = heldUntil.map { now < $0 } ?? false
    guard count < most, !isHeld, let rate = rate(at: now) ?? knownRate, rate < Self.fastLine else {
      return
    }
    count = most
    rateBefore = rate
    measure = nil
  }

  /// A fetch has ended, which brought so many bytes in `duration`; `streaming` are left.
  mutating func ended(_ bytes: Int, in duration: Duration, streaming: Int) {
    if bytes >= Self.leastBytes {
      laneRate = Double(bytes) / (max(duration, .milliseconds(1)) / .seconds(1))
    }
    if streaming == 0 { measure = nil }
  }

  /// Nobody is in a hurry, or somebody is elsewhere now.
  mutating func reset() {
    count = 1
    rateBefore = nil
    measure = nil
  }

  /// Bytes a second of one lane, as it was before; nil on a line so slow that a trial which fails is
  /// long felt.
  private var knownRate: Double? {
    laneRate.flatMap { $0 < Self.slowLine ? nil : $0 }
  }

  /// Whether there are fewer lanes now, since they are no better than one.
  private mutating func judge(_ rate: Double, at now: Duration) -> Bool {
    guard let before = rateBefore else { return false }
    rateBefore = nil
    guard rate < before * Self.gain else {
      patience = Self.shortestPatience
      return false
    }
    count = 1
    measure = nil
    heldUntil = now + patience
    patience = min(patience * 2, Self.longestPatience)
    return true
  }

  /// Bytes a second, once it can be told.
  private func rate(at now: Duration) -> Double? {
    guard let measure, now - measure.since >= Self.period,
      measure.bytes >= max(Self.leastBytes, count * Self.leastBytes / 2)
    else {
      return nil
    }
    return Double(measure.bytes) / ((now - measure.since) / .seconds(1))
  }
}
