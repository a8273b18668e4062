import Blocks
import Control
import NIOConcurrencyHelpers
import Streaming

/// The network mode and the rate that the user sets while a mount runs.
///
/// Safe from any thread. `MountContext` makes one change after the other.
final class NetworkControl: Sendable {
  private struct State {
    var mode = NetworkMode.online
    var rate = Rate.unlimited
    /// The end of the last pause.
    var resumed: SuspendingClock.Instant?
  }

  private let state: NIOLockedValueBox<State>

  init(_ mode: NetworkMode, rate: Rate) {
    state = NIOLockedValueBox(State(mode: mode, rate: rate))
  }

  var mode: NetworkMode { state.withLockedValue { $0.mode } }

  /// The rate limit of all origins together.
  var rate: Rate { state.withLockedValue { $0.rate } }

  func turn(_ mode: NetworkMode) {
    state.withLockedValue { state in
      if state.mode == .paused, mode != .paused { state.resumed = SuspendingClock().now }
      state.mode = mode
    }
  }

  func limit(to rate: Rate) {
    state.withLockedValue { $0.rate = rate }
  }

  /// Returns the longest time for an answer to the kernel, which is `usual` in general. During a
  /// pause it is `paused` longer. The same holds soon after a pause, because readers have waited
  /// for its end.
  func patience(usual: Duration, paused: Duration) -> Duration {
    state.withLockedValue { state in
      let wasPaused = state.resumed.map { SuspendingClock().now - $0 < usual } ?? false
      return state.mode == .paused || wasPaused ? usual + paused : usual
    }
  }
}
