import Quantities

/// Decides which lines of a log are written, and which are only counted.
///
/// Lines of one kind have the same words, whatever files they name. The first is written at once,
/// the next after a minute, and then after a pause that doubles. A written line says how many were
/// left out before it. A kind that was quiet for an hour more than its pause starts again.
struct LogThrottle<Line: Sendable>: Sendable {
  /// The sort of a line: its message, and its reason if it has one.
  struct Kind: Hashable, Sendable {
    let message: String
    let reason: String

    /// Digits do not count, because reasons name places, sizes and times.
    init(_ message: String, reason: String = "") {
      self.message = message
      self.reason = reason.filter { !$0.isNumber }
    }
  }

  private struct Counted: Sendable {
    /// The time of the last line that was written.
    var written: Duration
    /// The time that must pass from that line to the next.
    var pause: Duration { backoff.next }
    var backoff = Backoff(from: minPause, to: maxPause)
    /// The lines that were left out since then, and the last of them.
    var leftOut = 0
    var last: Line?
  }

  /// The time to the second line of a kind, and the longest time from one line to the next.
  static var minPause: Duration { .seconds(60) }
  static var maxPause: Duration { .seconds(24 * 60 * 60) }
  /// The time for which a kind must be quiet after its pause to start again.
  static var quiet: Duration { .seconds(60 * 60) }
  /// The most reasons of one message that are kinds of their own, because strangers write some of them.
  /// All others are one kind.
  static var maxReasons: Int { 8 }
  /// The most messages that are counted. They are constants of the program.
  static var maxMessages: Int { 64 }

  private var kinds: [Kind: Counted] = [:]
  /// The number of kinds by message.
  private var reasons: [String: Int] = [:]

  /// Takes a line. Returns the number of lines of its kind that were left out before it; nil if this one
  /// is left out too.
  mutating func takes(_ line: Line, _ kind: Kind, at now: Duration) -> Int? {
    let kind = place(of: kind)
    guard var counted = kinds[kind] else {
      kinds[kind] = Counted(written: now)
      reasons[kind.message, default: 0] += 1
      return 0
    }
    defer { kinds[kind] = counted }
    guard now - counted.written >= counted.pause else {
      counted.leftOut += 1
      counted.last = line
      return nil
    }
    let leftOut = counted.leftOut
    let wasQuiet = leftOut == 0 && now - counted.written >= counted.pause + Self.quiet
    if wasQuiet { counted.backoff.reset() } else { counted.backoff.failed() }
    counted = Counted(written: now, backoff: counted.backoff)
    return leftOut
  }

  /// Returns, for each kind, the last line that was left out, and how many were. They count as
  /// written from then on.
  mutating func rest() -> [(line: Line, count: Int)] {
    var rest: [(line: Line, count: Int, written: Duration)] = []
    for (kind, counted) in kinds {
      guard let last = counted.last else { continue }
      rest.append((last, counted.leftOut, counted.written))
      kinds[kind]?.leftOut = 0
      kinds[kind]?.last = nil
    }
    return rest.sorted { $0.written < $1.written }.map { ($0.line, $0.count) }
  }

  /// Returns the kind under which a line is counted.
  private func place(of kind: Kind) -> Kind {
    if kinds[kind] != nil { return kind }
    guard let count = reasons[kind.message] else {
      return reasons.count < Self.maxMessages ? kind : Kind("")
    }
    return count < Self.maxReasons ? kind : Kind(kind.message, reason: "another")
  }
}
