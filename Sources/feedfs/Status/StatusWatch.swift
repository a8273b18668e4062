import FeedMount
import Feeds
import Glibc

/// Tells the status again and again: on a terminal in its place, elsewhere as a line of JSON each
/// second. Ends when the mount is gone, and when nobody looks any more.
struct StatusWatch {
  private let source: StatusSource
  private let isPlain: Bool
  private let isScreen: Bool

  init(_ source: StatusSource, plain: Bool, json: Bool) {
    self.source = source
    isPlain = plain
    isScreen = !json && isatty(STDOUT_FILENO) == 1
  }

  func run() throws(MountError) {
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

  /// False: there is nothing more to tell, or nobody to be told.
  private func tell() throws(MountError) -> Bool {
    do throws(MountError) {
      guard isScreen else {
        let line = String(decoding: try source.document(pretty: false).bytes, as: UTF8.self)
        return TerminalFace.write(PrintableText.json(line) + "\n")
      }
      let face = TerminalFace.own(plain: isPlain)
      let lines = try source.lines(face, isFramed: true).lines.prefix(
        max(1, (face.height ?? 1000) - 1))
      let text = lines.map { face.cut($0).text(coloured: face.hasColour) }
      // Each line is cleared behind what it holds, and what is below is cleared: nothing flickers.
      return TerminalFace.write("\u{1B}[H" + text.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
    } catch {
      guard !isGone() else { return false }
      throw error
    }
  }

  /// Whether the mount is gone; one that ends may need a moment for that.
  private func isGone() -> Bool {
    for _ in 0..<20 {
      guard !source.isGone else { return true }
      poll(nil, 0, 100)  // ms
    }
    return false
  }

  /// The other screen of the terminal, without a cursor (xterm's private modes 1049 and 25).
  private static func enter() {
    TerminalFace.write("\u{1B}[?1049h\u{1B}[?25l")
  }

  private static func leave() {
    TerminalFace.write("\u{1B}[?25h\u{1B}[?1049l")
  }
}
