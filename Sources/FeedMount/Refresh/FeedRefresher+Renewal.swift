import FeedReading
import NIOConcurrencyHelpers

/// Refreshes that come before their scheduled time.
extension FeedRefresher {
  /// Reads a feed that was never read. A refused address may cause another refresh right after.
  func readFirst() async -> FeedPage.Failure? {
    let failure = await refresh()
    state.withLockedValue { $0.lastAttempt = nil }
    return failure
  }

  /// Reads the page, because `url` was refused and may have expired. If the page was read just
  /// before, a pause comes first.
  ///
  /// - Parameter instead: called before the pause; returns true if the read is no longer needed.
  func renew(_ url: String, instead: @Sendable () -> Bool) async {
    let now = tasks.now
    let wait = state.withLockedValue { state -> Duration? in
      // A read that is under way may bring a newer address too.
      guard state.running == nil else { return .zero }
      return state.renewals.wait(for: url, refusedAt: now, lastAsked: state.lastAttempt)
    }
    guard let wait else { return }
    if wait > .zero {
      guard !instead() else { return }
      try? await tasks.sleep(for: wait)
    }
    guard !state.withLockedValue({ $0.hasEnded }) else { return }
    _ = await refresh()
  }

  /// Schedules a retry of a feed that did not answer, because the origin of an entry just did.
  func networkIsBack() {
    let now = tasks.now
    state.withLockedValue { state in
      guard !state.hasEnded, state.running == nil, state.comeback == nil,
        let last = state.lastAttempt,
        let wait = state.report.comeback(after: now - last)
      else { return }
      state.comeback = tasks.start { [weak self, tasks] in
        try? await tasks.sleep(for: wait)
        guard !Task.isCancelled else { return }
        _ = await self?.refresh()
        self?.state.withLockedValue { $0.comeback = nil }
      }
    }
  }
}

/// Decides when to ask a feed for a newer address after one of its addresses was refused.
///
/// When an address is refused for the first time, the feed may have a newer one. If the address was
/// refused before the last request to the feed, that request brought no newer one. Then a newer one
/// cannot be expected so soon.
struct RenewalRule: Sendable {
  /// The shortest time between a request to the feed and the next one for a refused address.
  static let pause: Duration = .seconds(5)

  /// The time of each address's first refusal, as long as it is needed.
  private var refused: [String: Duration] = [:]

  /// Notes that `url` was refused at `now`.
  ///
  /// - Parameter lastAsked: the time of the last request to the feed; nil allows a request at once.
  /// - Returns: the time to wait before the request; nil if the feed was asked about this address
  ///   already.
  mutating func wait(
    for url: String, refusedAt now: Duration, lastAsked: Duration?
  ) -> Duration? {
    guard let lastAsked, now - lastAsked < Self.pause else {
      refused = [url: now]
      return .zero
    }
    refused = refused.filter { now - $0.value < Self.pause * 2 }
    let first = refused[url] ?? now
    refused[url] = first
    // The feed was asked after this address had been refused. It has no newer one.
    guard first >= lastAsked else { return nil }
    return Self.pause - (now - lastAsked)
  }
}
