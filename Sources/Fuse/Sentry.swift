import NIOConcurrencyHelpers

/// Looks again at callers that had a signal which does not end them.
///
/// The kernel reports the first signal only. A SIGKILL after, say, a SIGALRM would find the caller
/// waiting for the daemon's answer, unkillable. Runs only while there is such a caller.
final class Sentry: Sendable {
  private static let interval: Duration = .milliseconds(200)

  private let parked: ParkedRequests
  private let watching = NIOLockedValueBox<Task<Void, Never>?>(nil)

  init(_ parked: ParkedRequests) {
    self.parked = parked
  }

  deinit {
    watching.withLockedValue { $0?.cancel() }
  }

  func watch() {
    watching.withLockedValue { task in
      guard task == nil else { return }
      task = Task { [weak self] in
        while self?.mustGoOn() ?? false {
          guard (try? await Task.sleep(for: Self.interval)) != nil else { return }
        }
      }
    }
  }

  private func mustGoOn() -> Bool {
    if parked.lookAgain() { return true }
    watching.withLockedValue { $0 = nil }
    return false
  }
}
