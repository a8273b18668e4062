import Logging
import NIOConcurrencyHelpers

/// The current obstacle to writing bytes to the cache, for the status; logged when it changes.
///
/// Safe from any thread.
final class CacheProblems: Sendable {
  /// The time after which a complaint that does not recur is over.
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
    if isNew { log.warning("reading continues without the cache", metadata: ["why": "\(text)"]) }
  }

  /// The current complaint; nil if there was none recently.
  var current: String? {
    last.withLockedValue { last in
      guard let last, last.at.duration(to: .now) < Self.memory else { return nil }
      return last.text
    }
  }
}
