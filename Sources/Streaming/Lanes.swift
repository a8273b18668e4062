/// How many fetches of one file run at once.
///
/// One, as long as its connection keeps up with the reader. When the reader waits for bytes that are
/// on their way, two, and then four: but only if two brought clearly more than one did. Where many
/// connections share one slow line, each of them is slower, and the reader would wait longer for the
/// bytes next to it: then it is one again, for a while. When the window is full, or after a seek, it
/// is one as well.
struct Lanes: Sendable {
  /// What is measured while enough lanes bring bytes.
  private struct Measure {
    let since: Duration
    var bytes = 0
  }

  private(set) var count = 1
  /// Bytes a second with half as many lanes, while it is not yet judged whether these are better.
  private var rateBefore: Double?
  private var measure: Measure?
  /// No growth before: more lanes were no help.
  private var heldUntil: Duration?
  /// Bytes a second of one lane, when it was last measured.
  private var laneRate: Double?
  /// From asking to the head of the answer, when it was last measured.
  private var latency: Duration = .zero

  /// Long enough that the bursts in which bytes come do not matter.
  private static let period = Duration.milliseconds(40)
  private static let leastBytes = 256 << 10
  /// What two lanes must bring for each byte of one.
  private static let gain = 1.3
  /// After this time it is tried again whether more lanes help.
  private static let patience = Duration.seconds(10)
  /// Bytes a second of a line that more lanes cannot make faster: a gigabit.
  private static let fastLine = 100e6

  /// Bytes that one lane brings while the next answer is awaited; nil before that was measured. With so
  /// few left the next fetch is to be on its way, and so few are not worth the loss of a connection.
  var overlap: Int? {
    laneRate.map { Int(min($0 * (latency / .seconds(1)), 1e9)) }
  }

  /// An answer has begun, `waited` after it was asked for.
  mutating func began(after waited: Duration) {
    latency = waited
  }

  /// Bytes came, while `streaming` fetches bring some.
  mutating func arrived(_ bytes: Int, streaming: Int, at now: Duration) {
    guard streaming >= count else {
      measure = nil
      return
    }
    guard measure != nil else {
      measure = Measure(since: now)
      return
    }
    measure?.bytes += bytes
    if let rate = rate(at: now) { laneRate = rate / Double(count) }
  }

  /// The reader waits for bytes of a fetch that brings some; returns whether there are fewer lanes now.
  mutating func readerWaits(most: Int, at now: Duration) -> Bool {
    guard let rate = rate(at: now) else { return false }
    measure = nil
    if let before = rateBefore, rate < before * Self.gain {
      count /= 2
      rateBefore = nil
      heldUntil = now + Self.patience
      return true
    }
    rateBefore = nil
    let isHeld = heldUntil.map { now < $0 } ?? false
    if count < most, rate < Self.fastLine * Double(count), !isHeld {
      count = min(count * 2, most)
      rateBefore = rate
    }
    return false
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

  /// Bytes a second, once it can be told.
  private func rate(at now: Duration) -> Double? {
    guard let measure, now - measure.since >= Self.period, measure.bytes >= Self.leastBytes else {
      return nil
    }
    return Double(measure.bytes) / ((now - measure.since) / .seconds(1))
  }
}
