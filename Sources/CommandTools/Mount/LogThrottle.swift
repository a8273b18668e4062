import Quantities

/// Decides which lines of a log are written, and which are only counted.
///
/// Lines of one kind have the same message and the same reason; the files that they name do not
/// count. The first line is written at once. After it, lines of its kind are left out during a
/// pause: a minute at first, then twice as long after each written line. A written line says how
/// many were left out before it. If no line of a kind comes for an hour longer than the pause, the
/// pauses start again from a minute.
struct LogThrottle<Line: Sendable>: Sendable {
  /// The kind of a line: its message, and its reason if it has one.
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
    /// The time that must pass until another line is written.
    var pause: Duration { backoff.next }
    var backoff = Backoff(from: minPause, to: maxPause)
    /// The number of lines that were left out since then, and the last of them.
    var leftOut = 0
    var last: Line?
  }

  /// The shortest and the longest pause.
  static var minPause: Duration { .seconds(60) }
  static var maxPause: Duration { .seconds(24 * 60 * 60) }
  /// If no line of a kind comes for this time after its pause, the pauses start again from
  /// `minPause`.
  static var quiet: Duration { .seconds(60 * 60) }
  /// The limit for the kinds of one message, because strangers write some of the reasons. Lines
  /// with all further reasons are one kind.
  static var maxReasons: Int { 8 }
  /// The limit for the messages that are counted separately. Messages are constants of the program.
  static var maxMessages: Int { 64 }

  private var kinds: [Kind: Counted] = [:]
  /// The number of kinds by message.
  private var reasons: [String: Int] = [:]

  /// Takes a line. Returns the number of lines of its kind that were left out before it; nil if
  /// this line is to be left out too.
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

  /// Returns, for each kind, the last line that was left out, and how many were. The caller writes
  /// these lines, so they no longer count as left out.
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
