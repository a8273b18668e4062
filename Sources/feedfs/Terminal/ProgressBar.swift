import Feeds
import Glibc

/// How far a long command is, on a terminal; elsewhere nothing.
struct ProgressBar {
  private static let width = 24
  /// A rate is that of the last while.
  private static let memory: Duration = .seconds(5)

  private let what: String
  private let isShown = isatty(STDERR_FILENO) == 1
  private var whole: Int
  private var past: [(done: Int, at: ContinuousClock.Instant)] = []

  /// - Parameters:
  ///   - what: is done with the bytes.
  ///   - whole: bytes.
  init(_ what: String, of whole: Int) {
    self.what = what
    self.whole = whole
  }

  mutating func show(_ done: Int, of whole: Int? = nil, at name: String) {
    guard isShown else { return }
    self.whole = whole ?? self.whole
    let now = ContinuousClock.now
    past = past.isEmpty ? [(done, now)] : past
    past.append((done, now))
    let old = past.prefix { $0.at < now - Self.memory }.count
    past.removeFirst(min(old, past.count - 2))
    write("\r\u{1B}[K" + PrintableText.line(text(done, at: name)))
  }

  /// The line goes: what follows begins where it was.
  func end() {
    if isShown, !past.isEmpty { write("\r\u{1B}[K") }
  }

  private func text(_ done: Int, at name: String) -> String {
    let share = whole > 0 ? min(1, Double(done) / Double(whole)) : 1
    let full = Int(share * Double(Self.width))
    let bar =
      String(repeating: "#", count: full) + String(repeating: "-", count: Self.width - full)
    var words = ["[\(bar)] \(Int(share * 100)) %", "\(Quantity.bytes(done)) \(what)"]
    if let rate {
      words.append("\(Quantity.bytes(rate))/s")
      if rate > 0, whole > done { words.append("\(Self.time((whole - done) / rate)) left") }
    }
    return (words + [name]).joined(separator: "  ")
  }

  /// Bytes a second.
  private var rate: Int? {
    guard let first = past.first, let last = past.last, last.at > first.at else { return nil }
    return Int(Double(last.done - first.done) / ((last.at - first.at) / .seconds(1)))
  }

  private static func time(_ seconds: Int) -> String {
    let (minutes, rest) = seconds.quotientAndRemainder(dividingBy: 60)
    if minutes == 0 { return "\(rest) s" }
    return minutes < 60 ? "\(minutes) min \(rest) s" : "\(minutes / 60) h \(minutes % 60) min"
  }

  private func write(_ text: String) {
    _ = Glibc.write(STDERR_FILENO, text, text.utf8.count)
  }
}
