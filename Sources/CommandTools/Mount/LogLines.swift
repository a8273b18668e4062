import Logging
import Locks

/// Writes those lines of a log that `LogThrottle` does not leave out. Rotates the log when it is
/// full.
///
/// Safe from any thread. Its lock is held while a line is written, so that lines do not mix.
final class LogLines: Sendable {
  /// Makes room for `bytes` more bytes in the log: rotates the log if it is full. Throws if that
  /// fails.
  typealias MakeRoom = @Sendable (_ bytes: Int) throws -> Void

  private struct Written: Sendable {
    let event: LogEvent
    let handler: StreamLogHandler
  }

  private let throttle = Locked(LogThrottle<Written>())
  private let makeRoom: MakeRoom?
  private let start = ContinuousClock.now

  /// - Parameter makeRoom: called before each line; nil if this program does not own the log file.
  init(makeRoom: MakeRoom? = nil) {
    self.makeRoom = makeRoom
  }

  /// Writes a line, or only counts it. Every debug line is written, because a user who turns them
  /// on wants to see all.
  func log(_ event: LogEvent, to handler: StreamLogHandler) {
    let line = Written(event: event, handler: handler)
    throttle.withLock { throttle in
      guard event.level > .debug else { return write(line, 0) }
      let kind = LogThrottle<Written>.Kind(
        event.message.description, reason: event.metadata?["why"]?.description ?? "")
      let leftOut = throttle.takes(line, kind, at: ContinuousClock.now - start)
      if let leftOut { write(line, leftOut) }
    }
  }

  /// Writes the last line of each kind that was left out, with the number of lines left out before
  /// it. Called when the log ends.
  func end() {
    throttle.withLock { throttle in
      for (line, count) in throttle.rest() { write(line, count - 1) }
    }
  }

  /// The number of bytes allowed for the parts of a line that are neither its message nor its
  /// metadata.
  private static let frame = 256

  /// - Parameter others: the number of lines of the same kind that were left out before this one.
  private func write(_ line: Written, _ others: Int) {
    var event = line.event
    if others > 0 {
      var metadata = event.metadata ?? [:]
      metadata["others"] = "\(others)"
      event.metadata = metadata
    }
    let metadata = event.metadata ?? [:]
    let size = metadata.reduce(event.message.description.utf8.count) {
      $0 + $1.key.utf8.count + $1.value.description.utf8.count + 2
    }
    // If there is no room, the line is lost, because a log that cannot be rotated must not fill the
    // disk.
    do { try makeRoom?(size + Self.frame) } catch { return }
    line.handler.log(event: event)
  }
}
