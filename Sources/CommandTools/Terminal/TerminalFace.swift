import CLinux
import FoundationEssentials
import Glibc

/// The abilities of the terminal or file that gets a command's output.
package struct TerminalFace: Hashable {
  /// True if the output goes to a terminal.
  var isTerminal = false
  var hasColour = false
  /// True if only ASCII is allowed.
  var isPlain = false
  /// The width in columns; nil for no limit.
  var width: Int?
  /// The height in lines; nil for no limit.
  var height: Int?

  /// Returns the abilities of stdout. Colour is for terminals only, and only if the user has not
  /// turned it off (no-color.org).
  package static func own(plain: Bool) -> TerminalFace {
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

  /// Writes `lines` to stdout, and wraps those that are too wide. Returns false if stdout has no
  /// reader any more.
  @discardableResult
  package func show(_ lines: [StyledLine], indent: Int = 4) -> Bool {
    let text = lines.flatMap { $0.wrapped(to: width, indent: indent) }
      .map { $0.text(coloured: hasColour) + "\n" }.joined()
    return Self.write(text)
  }

  /// Returns `line`, cut to the width of the terminal.
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
