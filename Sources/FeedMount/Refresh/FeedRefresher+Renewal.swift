import Feeds
import NIOConcurrencyHelpers

/// Asking the feed sooner than its schedule says.
extension FeedRefresher {
  /// Reads a feed that was never read; its addresses may be asked for anew right after.
  func readFirst() async -> FeedPage.Failure? {
    let failure = await refresh()
    state.withLockedValue { $0.lastAttempt = nil }
    return failure
  }

  /// Reads the page, since `url` was refused and may have expired: at once or, where that was just done,
  /// as soon as it may be done again.
  ///
  /// - Parameter instead: called before that is waited for; true: it is not needed any more.
  func renew(_ url: String, instead: @Sendable () -> Bool) async {
    let wait = state.withLockedValue { state -> Duration? in
      // The read that is under way finds out about this address too.
      guard state.running == nil else { return .zero }
      return state.renewals.wait(for: url, refusedAt: .now, lastAsked: state.lastAttempt)
    }
    guard let wait else { return }
    if wait > .zero {
      guard !instead() else { return }
      try? await Task.sleep(for: wait)
    }
    guard !state.withLockedValue({ $0.hasEnded }) else { return }
    _ = await refresh()
  }

  /// The origin of an entry has answered: a feed that did not may do so as well by now.
  func networkIsBack() {
    state.withLockedValue { state in
      guard state.running == nil, state.comeback == nil, let last = state.lastAttempt,
        let wait = state.report.comeback(after: last.duration(to: .now))
      else { return }
      state.comeback = Task { [weak self] in
        try? await Task.sleep(for: wait)
        guard !Task.isCancelled else { return }
        _ = await self?.refresh()
        self?.state.withLockedValue { $0.comeback = nil }
      }
    }
  }
}

/// When a feed is asked for a newer address, because one that it gave was refused.
///
/// An address that was refused for the first time may be one that the feed has replaced since it was
/// last asked; one that was refused before that has nothing newer to hope for so soon.
struct RenewalRule: Sendable {
  /// A feed is not asked again sooner than this because an address was refused.
  static let pause: Duration = .seconds(5)

  /// When each address was first refused, as far as that matters still.
  private var refused: [String: ContinuousClock.Instant] = [:]

  /// Takes note that `url` was refused at `now`.
  ///
  /// - Parameter lastAsked: when the feed was last asked; nil: it may be asked at once.
  /// - Returns: how long to wait before it is asked; nil: it was asked about this address already.
  mutating func wait(
    for url: String, refusedAt now: ContinuousClock.Instant, lastAsked: ContinuousClock.Instant?
  ) -> Duration? {
    guard let lastAsked, lastAsked.duration(to: now) < Self.pause else {
      refused = [url: now]
      return .zero
    }
    refused = refused.filter { $0.value.duration(to: now) < Self.pause * 2 }
    let first = refused[url] ?? now
    refused[url] = first
    // It was asked when this address had been refused, and has no other.
    guard first >= lastAsked else { return nil }
    return Self.pause - lastAsked.duration(to: now)
  }
}
