import Logging
import NIOConcurrencyHelpers

/// What stands in the way of keeping bytes on disk, for the status; said once in the log.
///
/// Safe from any thread.
final class Complaints: Sendable {
  /// A complaint that was not heard for this long is over.
  private static let memory: Duration = .seconds(10)

  private let log: Logger
  private let last = NIOLockedValueBox<(text: String, at: ContinuousClock.Instant)?>(nil)

  init(_ log: Logger) {
    self.log = log
  }

  func note(_ text: String) {
    let isNew = last.withLockedValue { last in
      defer { last = (text, .now) }
      return last?.text != text
    }
    if isNew { log.warning("reading goes on without the cache", metadata: ["why": "\(text)"]) }
  }

  /// What was complained of just now.
  var current: String? {
    last.withLockedValue { last in
      guard let last, last.at.duration(to: .now) < Self.memory else { return nil }
      return last.text
    }
  }
}
