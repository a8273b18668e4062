import Logging
import NIOConcurrencyHelpers
import Storage

/// The current obstacle to writing bytes to the cache, for the status.
///
/// Safe from any thread.
final class CacheProblems: Sendable {
  /// The time after which a complaint that does not recur is over.
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

  /// Notes what kept a read's bytes out of the cache, and logs it when it changes.
  func note(_ text: String) {
    let now = clock.now
    let isNew = last.withLockedValue { last in
      defer { last = (text, now) }
      return last?.text != text
    }
    if isNew { log.warning("reading continues without the cache", metadata: ["why": "\(text)"]) }
  }

  /// The current complaint of a read, or else that of the last flush; nil if there is none.
  var current: String? {
    let now = clock.now
    let complaint = last.withLockedValue { last in
      last.flatMap { now - $0.at < Self.memory ? $0.text : nil }
    }
    return complaint ?? cache.trouble?.description
  }
}
