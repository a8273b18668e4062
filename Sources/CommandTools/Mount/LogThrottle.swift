import Quantities

/// Decides which lines of a log are written, and which are only counted.
///
/// Lines of one kind have the same message and the same reason, even if they name different files.
/// The first line of a kind is written at once. After each written line, lines of the same kind are
/// left out during a pause. The first pause is a minute, and each later one twice as long, up to a
/// day. A written line says how many lines were left out before it. If no line of a kind comes
/// during a pause and for an hour after it, the next pause is a minute again.
struct LogThrottle<Line: Sendable>: Sendable {
  /// The kind of a line: its message, and its reason if it has one.
  struct Kind: Hashable, Sendable {
    let message: String
    let reason: String

    /// Removes the digits from `reason`, because reasons contain places, sizes and times.
    init(_ message: String, reason: String = "") {
      self.message = message
      self.reason = reason.filter { !$0.isNumber }
    }
  }

  private struct Counted: Sendable {
    /// The time at which the last line was written.
    var written: Duration
    /// The time that must pass until another line is written.
    var pause: Duration { backoff.next }
    var backoff = Backoff(from: minPause, to: maxPause)
    /// The number of lines that were left out since `written`. `last` is the last of them.
    var leftOut = 0
    var last: Line?
  }

  /// The shortest and the longest pause.
  static var minPause: Duration { .seconds(60) }
  static var maxPause: Duration { .seconds(24 * 60 * 60) }
  /// If no line of a kind comes for this time after its pause, the next pause is `minPause`.
  static var quiet: Duration { .seconds(60 * 60) }
  /// The limit for the kinds of one message. There is a limit because other people, such as
  /// publishers, write some of the reasons. All lines with further reasons are one kind.
  static var maxReasons: Int { 8 }
  /// The limit for the messages that are counted separately. Messages are constants of the program,
  /// so there are few.
  static var maxMessages: Int { 64 }

  private var kinds: [Kind: Counted] = [:]
  /// The number of kinds by message.
  private var reasons: [String: Int] = [:]

  /// Decides on a line. If it is to be written, returns how many lines of its kind were left out
  /// before it. If it is to be left out, counts it and returns nil.
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

  /// Returns the last left-out line of each kind, and how many lines of the kind were left out. The
  /// caller writes these lines. After this, no line counts as left out.
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
