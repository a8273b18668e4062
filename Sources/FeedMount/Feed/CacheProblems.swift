import Logging
import Locks
import Storage
import World

/// The current reason why bytes are not written to the cache, for the status.
///
/// Safe from any thread.
final class CacheProblems: Sendable {
  /// The time after which a problem counts as over if it does not recur.
  private static let memory: Duration = .seconds(10)

  private let cache: CacheDirectory
  private let clock: any TaskClock
  private let log: Logger
  /// The largest number of remembered reasons, because each names a file. When it is reached, all
  /// are forgotten, and are logged again.
  private static let maxReasons = 1000

  private struct State {
    var last: (text: String, at: Duration)?
    /// The reasons that were logged.
    var told: Set<String> = []
  }

  private let state = Locked(State())

  init(of cache: CacheDirectory, by clock: any TaskClock, log: Logger) {
    self.cache = cache
    self.clock = clock
    self.log = log
  }

  /// Notes the reason why a read's bytes were not cached. Logs each reason only once, because the
  /// same reason comes again with every run of bytes. To compare a reason with the last one would
  /// not be enough, because the reasons of several files alternate.
  func note(_ text: String) {
    let now = clock.now
    let isNew = state.withLock { state in
      state.last = (text, now)
      if state.told.count >= Self.maxReasons { state.told = [] }
      return state.told.insert(text).inserted
    }
    if isNew { log.warning("files are read without being cached", metadata: ["why": "\(text)"]) }
  }

  /// The current problem of a read, or else the problem of the last flush; nil if there is none.
  var current: String? {
    let now = clock.now
    let complaint = state.withLock { state in
      state.last.flatMap { now - $0.at < Self.memory ? $0.text : nil }
    }
    return complaint ?? cache.trouble?.description
  }
}
