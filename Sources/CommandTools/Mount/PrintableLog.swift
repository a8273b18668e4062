import FeedReading
import Logging

/// Logs to stderr. That may be a terminal, so text from strangers must not control it.
struct PrintableLog: LogHandler {
  private var inner: StreamLogHandler

  init(label: String) {
    inner = .standardError(label: label)
  }

  func log(event: LogEvent) {
    var event = event
    event.message = "\(PrintableText.line(event.message.description))"
    event.metadata = event.metadata?.mapValues { "\(PrintableText.line($0.description))" }
    inner.log(event: event)
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
