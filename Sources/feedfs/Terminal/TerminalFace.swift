import CLinux
import FoundationEssentials
import Glibc

/// What the output of a command may look like.
struct TerminalFace: Hashable {
  /// Whether somebody looks at it at once.
  var isTerminal = false
  var hasColour = false
  /// ASCII only.
  var isPlain = false
  /// Columns; nil: as many as are needed.
  var width: Int?
  /// Lines; nil: as many as are needed.
  var height: Int?

  /// Of stdout. Colour is for terminals alone, and for nobody who does not want it (no-color.org).
  static func own(plain: Bool) -> TerminalFace {
    var face = TerminalFace(isPlain: plain)
    guard isatty(STDOUT_FILENO) == 1 else { return face }
    let environment = ProcessInfo.processInfo.environment
    let isDumb = environment["TERM"] == "dumb"
    face.isTerminal = true
    face.hasColour = !plain && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty
    var columns: Int32 = 0
    var lines: Int32 = 0
    if feedfs_terminal_size(STDOUT_FILENO, &columns, &lines) == 0 {
      if columns > 0 { face.width = Int(columns) }
      if lines > 0 { face.height = Int(lines) }
    }
    return face
  }

  /// Writes `lines` to stdout, whatever is wider than that as several; false: nobody reads it any more.
  @discardableResult
  func show(_ lines: [StyledLine], indent: Int = 4) -> Bool {
    let text = lines.flatMap { $0.wrapped(to: width, indent: indent) }
      .map { $0.text(coloured: hasColour) + "\n" }.joined()
    return Self.write(text)
  }

  /// As much of `line` as goes into one.
  func cut(_ line: StyledLine) -> StyledLine {
    line.fitted(to: width, mark: isPlain ? "..." : "…")
  }

  @discardableResult
  static func write(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
