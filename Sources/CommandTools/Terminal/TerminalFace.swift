import CLinux
import FoundationEssentials
import Glibc

/// The abilities of a terminal or file that gets output: its size, colour and characters.
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

  /// Returns the abilities of stdout.
  package static func own(plain: Bool) -> TerminalFace {
    own(STDOUT_FILENO, plain: plain)
  }

  /// Returns the abilities of the terminal or file behind the descriptor `number`.
  static func own(_ number: Int32, plain: Bool = false) -> TerminalFace {
    guard isatty(number) == 1 else { return TerminalFace(isPlain: plain) }
    var columns: Int32 = 0
    var lines: Int32 = 0
    _ = feedfs_terminal_size(number, &columns, &lines)
    return terminal(
      columns: Int(columns), lines: Int(lines), plain: plain, ProcessInfo.processInfo.environment)
  }

  /// Returns the abilities of a terminal. It gets colour unless the user has turned that off
  /// (no-color.org). A terminal with another encoding than UTF-8, or with fewer than 40 columns,
  /// gets ASCII without colour.
  ///
  /// - Parameters:
  ///   - columns: the width of the terminal; 0 if it is not known.
  ///   - lines: the height of the terminal; 0 if it is not known.
  static func terminal(
    columns: Int, lines: Int, plain: Bool, _ environment: [String: String]
  ) -> TerminalFace {
    var face = TerminalFace(isTerminal: true)
    if columns > 0 { face.width = columns }
    if lines > 0 { face.height = lines }
    face.isPlain = plain || !isUTF8(environment) || (face.width ?? .max) < narrow
    let isDumb = environment["TERM"] == "dumb"
    face.hasColour = !face.isPlain && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty
    return face
  }

  /// Returns whether the locale has the encoding UTF-8. The first of these variables that is set
  /// determines the locale (locale(7)).
  private static func isUTF8(_ environment: [String: String]) -> Bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"]
    let locale = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    return ["utf-8", "utf8"].contains { locale.lowercased().hasSuffix($0) }
  }

  private static let narrow = 40  // columns

  /// Writes `lines` to stdout. Wraps lines that are too wide. Returns false if stdout has no reader
  /// any more.
  @discardableResult
  package func show(_ lines: [StyledLine], indent: Int = 4) -> Bool {
    let text = lines.flatMap { $0.wrapped(to: width, indent: indent) }
      .map { $0.text(coloured: hasColour) + "\n" }.joined()
    return Self.write(text)
  }

  /// Returns `line`, cut to the width of the terminal.
  func cut(_ line: StyledLine) -> StyledLine {
    line.fitted(to: width, ellipsis: ellipsis)
  }

  /// Returns `name` without its middle if it takes more than a third of the terminal's width.
  func shortened(_ name: String) -> String {
    guard let most = width.map({ max(16, $0 / 3) }), ColumnCount.of(name) > most else {
      return name
    }
    let end = String(ColumnCount.prefix(of: String(name.reversed()), most / 2).reversed())
    let room = most - ColumnCount.of(end) - ColumnCount.of(ellipsis)
    return ColumnCount.prefix(of: name, room) + ellipsis + end
  }

  private var ellipsis: String { isPlain ? "..." : "…" }

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
