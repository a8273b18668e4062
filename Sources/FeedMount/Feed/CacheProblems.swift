import Logging
import NIOConcurrencyHelpers
import Storage

/// The current reason why bytes are not written to the cache, for the status.
///
/// Safe from any thread.
final class CacheProblems: Sendable {
  /// The time after which a problem counts as over if it does not recur.
  private static let memory: Duration = .seconds(10)

  private let cache: CacheDirectory
  private let clock: any TaskClock
  private let log: Logger
  private let last = NIOLockedValueBox<(text: String, at: Duration)?>(nil)

  init(of cache: CacheDirectory, by clock: any TaskClock, log: Logger) {
    self.cache = cache
    self.clock = clock
    self.log = log
  }

  /// Notes the reason why a read's bytes were not cached. Logs it when it changes.
  func note(_ text: String) {
    let now = clock.now
    let isNew = last.withLockedValue { last in
      defer { last = (text, now) }
      return last?.text != text
    }
    if isNew { log.warning("reading continues without the cache", metadata: ["why": "\(text)"]) }
  }

  /// The current problem of a read, or else that of the last flush; nil if there is none.
  var current: String? {
    let now = clock.now
    let complaint = last.withLockedValue { last in
      last.flatMap { now - $0.at < Self.memory ? $0.text : nil }
    }
    return complaint ?? cache.trouble?.description
  }
}
