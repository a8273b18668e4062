import Logging
import Synchronization

/// The log of a direct drive, as text.
final class CollectedLog: Sendable {
  private let lines = Mutex("")

  var text: String {
    lines.withLock { $0 }
  }

  var logger: Logger {
    Logger(label: "feedfs") { _ in Handler(log: self) }
  }

  private struct Handler: LogHandler {
    let log: CollectedLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let facts = (event.metadata ?? [:]).map { " \($0)=\($1)" }.sorted().joined()
      log.lines.withLock { $0 += "\(event.level): \(event.message)\(facts)\n" }
    }
  }
}
