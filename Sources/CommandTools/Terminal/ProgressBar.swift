import Glibc
import Markup
import Quantities

/// Shows the progress of a long command on stderr, if that is a terminal.
package struct ProgressBar {
  private static let maxCells = 24
  private static let minCells = 4
  /// The time over which the rate is measured.
  private static let memory: Duration = .seconds(5)

  private let what: String
  private let isShown = isatty(STDERR_FILENO) == 1
  private var whole: Int
  private var past: [(done: Int, at: ContinuousClock.Instant)] = []

  /// - Parameters:
  ///   - what: the word that follows the number of finished bytes, such as "fetched".
  ///   - whole: the number of bytes of the whole work.
  package init(_ what: String, of whole: Int) {
    self.what = what
    self.whole = whole
  }

  package mutating func show(_ done: Int, of whole: Int? = nil, at name: String) {
    guard isShown else { return }
    self.whole = whole ?? self.whole
    let now = ContinuousClock.now
    past = past.isEmpty ? [(done, now)] : past
    past.append((done, now))
    let old = past.prefix { $0.at < now - Self.memory }.count
    past.removeFirst(min(old, past.count - 2))
    let line = Self.line(
      share: share(done), facts(of: done) + [name], TerminalFace.own(STDERR_FILENO))
    write("\r\u{1B}[K" + PrintableText.line(line))
  }

  /// Clears the line of the bar. The next output begins in the same line.
  package func end() {
    if isShown, !past.isEmpty { write("\r\u{1B}[K") }
  }

  /// Returns a line that fits into the terminal: a bar, and `facts` after it. The bar gets the
  /// width that the facts leave. If that is too little, the line has only the facts.
  static func line(share: Double, _ facts: [String], _ face: TerminalFace) -> String {
    let text = facts.joined(separator: "  ")
    // The last column stays free for the cursor.
    var face = face
    face.width = face.width.map { max(1, $0 - 1) }
    let room = (face.width ?? .max) - ColumnCount.of(text) - "[] ".count
    let cells = min(Self.maxCells, room)
    guard cells >= Self.minCells else { return face.cut(StyledLine(text)).text(coloured: false) }
    let full = Int(share * Double(cells))
    let bar = String(repeating: "#", count: full) + String(repeating: "-", count: cells - full)
    return "[\(bar)] \(text)"
  }

  private func share(_ done: Int) -> Double {
    whole > 0 ? min(1, Double(done) / Double(whole)) : 1
  }

  private func facts(of done: Int) -> [String] {
    var words = ["\(Int(share(done) * 100)) %", "\(Quantity.bytes(done)) \(what)"]
    if let rate {
      words.append(Quantity.rate(rate))
      if rate > 0, whole > done { words.append("\(Self.time((whole - done) / rate)) left") }
    }
    return words
  }

  /// The rate in bytes a second.
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
