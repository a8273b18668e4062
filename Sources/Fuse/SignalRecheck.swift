import Locks

/// Checks the callers again that had a signal but did not end.
///
/// The kernel reports only the first signal. Without the recheck, a SIGKILL after a SIGALRM, for
/// example, would have no effect: the caller would wait for the daemon, and could not be killed.
/// The recheck runs only while there is such a caller.
final class SignalRecheck: Sendable {
  private static let interval: Duration = .milliseconds(200)

  private struct State {
    var task: Task<Void, Never>?
    /// Whether a caller was reported since the task began its last check. Perhaps that check has
    /// missed the caller.
    var hasNews = false
  }

  private let parked: ParkedRequests
  private let state = Locked(State())

  init(_ parked: ParkedRequests) {
    self.parked = parked
  }

  deinit {
    state.withLock { $0.task?.cancel() }
  }

  func watch() {
    state.withLock { state in
      state.hasNews = true
      guard state.task == nil else { return }
      state.task = Task { [weak self] in
        while self?.mustGoOn() ?? false {
          guard (try? await Task.sleep(for: Self.interval)) != nil else { return }
        }
      }
    }
  }

  private func mustGoOn() -> Bool {
    state.withLock { $0.hasNews = false }
    if parked.recheckSignals() { return true }
    return state.withLock { state in
      if !state.hasNews { state.task = nil }
      return state.hasNews
    }
  }
}
