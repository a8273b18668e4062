import Logging
import Markup

/// Logs to stderr. If stderr is a terminal, text from other people, such as a feed's title, must
/// not control it.
struct PrintableLog: LogHandler {
  private var inner: StreamLogHandler
  private let lines: LogLines

  init(label: String, _ lines: LogLines) {
    inner = .standardError(label: label)
    self.lines = lines
  }

  func log(event: LogEvent) {
    var event = event
    event.message = "\(Self.text(event.message.description))"
    event.metadata = event.metadata?.mapValues { "\(Self.text($0.description))" }
    lines.log(event, to: inner)
  }

  /// The limit for the characters of a message or a value, so that other people's text cannot make
  /// a line long.
  private static let maxLength = 2000

  private static func text(_ text: String) -> String {
    let line = PrintableText.line(text)
    return line.count > maxLength ? line.prefix(maxLength) + "…" : line
  }

  var metadata: Logger.Metadata {
    get { inner.metadata }
    set { inner.metadata = newValue }
  }

  var logLevel: Logger.Level {
    get { inner.logLevel }
    set { inner.logLevel = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { inner[metadataKey: key] }
    set { inner[metadataKey: key] = newValue }
  }
}
