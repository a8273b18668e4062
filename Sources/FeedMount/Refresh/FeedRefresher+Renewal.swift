import FeedReading
import Locks
import World

/// Refreshes that come before their scheduled time.
extension FeedRefresher {
  /// Reads a feed that was never read. `networkIsBack` does not count this as an attempt.
  func readFirst() async -> FeedPage.Failure? {
    let failure = await refresh()
    state.withLock { $0.lastAttempt = nil }
    return failure
  }

  /// Refreshes the feed, because an address of the entry `number` was refused and might have
  /// expired. Does nothing during the pauses of `RenewalRule`.
  ///
  /// - Parameter hasWorked: whether bytes came from the address that the feed gave last.
  func renew(_ number: Int, hasWorked: Bool) async {
    let now = tasks.now
    let mayAsk = state.withLock { state in
      guard !state.hasEnded else { return false }
      // A read that is under way can bring a newer address too.
      return state.running != nil
        || state.renewals.mayAsk(for: number, hasWorked: hasWorked, at: now)
    }
    if mayAsk { _ = await refresh() }
  }

  /// Whether the web page of the entry `number` is allowed to be asked for a newer address. The
  /// pauses are the same as for the feed.
  func mayRenew(_ number: Int) -> Bool {
    let now = tasks.now
    return state.withLock { !$0.hasEnded && $0.pageRenewals.mayAsk(for: number, at: now) }
  }

  /// Schedules a retry of a feed that did not answer, because the origin of an entry has just
  /// answered.
  func networkIsBack() {
    let now = tasks.now
    state.withLock { state in
      guard !state.hasEnded, state.running == nil, state.comeback == nil,
        let last = state.lastAttempt,
        let wait = state.report.comeback(after: now - last)
      else { return }
      state.comeback = tasks.start { [weak self, tasks] in
        try? await tasks.sleep(for: wait)
        guard !Task.isCancelled else { return }
        _ = await self?.refresh()
        self?.state.withLock { $0.comeback = nil }
      }
    }
  }
}

/// Decides when to ask a feed for a newer address after one of its addresses was refused.
///
/// When an address is refused, the feed can have a newer one. If it has none, it will hardly have
/// one soon. So the pauses make entries that are gone cause few requests, even if a program looks
/// at all of them.
struct RenewalRule: Sendable {
  /// The shortest time between two requests to the feed for refused addresses.
  static let pause: Duration = .seconds(5)
  /// The shortest time between two requests for the same entry.
  static let entryPause: Duration = .seconds(60)

  private var lastAsked: Duration?
  /// The time of the last request for each entry, until `entryPause` has passed since then.
  private var entries: [Int: Duration] = [:]

  /// Notes that an address of the entry `number` was refused at `now`. Returns true if the feed is
  /// to be asked.
  ///
  /// - Parameter hasWorked: whether the address that the feed gave last has brought bytes. If so,
  ///   `entryPause` does not apply, because the feed can have a newer address at any time.
  mutating func mayAsk(
    for number: Int, hasWorked: Bool = false, at now: Duration
  ) -> Bool {
    if let lastAsked, now - lastAsked < Self.pause { return false }
    if !hasWorked, let last = entries[number], now - last < Self.entryPause { return false }
    entries = entries.filter { now - $0.value < Self.entryPause }
    entries[number] = now
    lastAsked = now
    return true
  }
}
