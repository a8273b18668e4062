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
