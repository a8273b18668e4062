package import Host
import Glibc
import Markup

/// Prints the status each second. On a terminal each status replaces the one before. Elsewhere each
/// status is a line of JSON. Ends when the mount is gone, or when stdout has no reader any more.
package struct StatusWatch {
  private let source: StatusSource
  private let isPlain: Bool
  private let isScreen: Bool

  package init(_ source: StatusSource, plain: Bool, json: Bool) {
    self.source = source
    isPlain = plain
    isScreen = !json && isatty(STDOUT_FILENO) == 1
  }

  package func run() throws(CommandError) {
    let signals = try WatchSignals()
    if isScreen { Self.enter() }
    defer { if isScreen { Self.leave() } }
    while try tell() {
      switch signals.wait(.seconds(1)) {
      case .time, .resized: break
      case .end: return
      case .stop:
        if isScreen { Self.leave() }
        raise(SIGSTOP)
        if isScreen { Self.enter() }
      }
    }
  }

  /// Prints the status once. Returns false if the mount is gone, or if stdout has no reader any
  /// more.
  private func tell() throws(CommandError) -> Bool {
    do throws(CommandError) {
      guard isScreen else {
        let line = String(decoding: try source.document(pretty: false).bytes, as: UTF8.self)
        return TerminalFace.write(PrintableText.json(line) + "\n")
      }
      let face = TerminalFace.own(plain: isPlain)
      let lines = try source.lines(face, isFramed: true).lines.prefix(
        max(1, (face.height ?? 1000) - 1))
      let text = lines.map { face.cut($0).text(coloured: face.hasColour) }
      // The screen is not cleared first, because it would flicker. Only the end of each line and
      // the lines below the last one are cleared.
      return TerminalFace.write("\u{1B}[H" + text.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
    } catch {
      guard !isGone() else { return false }
      throw error
    }
  }

  /// Returns whether the mount is gone. Waits up to 2 s for that, because a mount that is ending
  /// does not disappear at once.
  private func isGone() -> Bool {
    for _ in 0..<20 {
      guard !source.isGone else { return true }
      poll(nil, 0, 100)  // ms
    }
    return false
  }

  /// Shows the terminal's alternate screen, without a cursor (xterm's private modes 1049 and 25).
  private static func enter() {
    TerminalFace.write("\u{1B}[?1049h\u{1B}[?25l")
  }

  private static func leave() {
    TerminalFace.write("\u{1B}[?25h\u{1B}[?1049l")
  }
}
