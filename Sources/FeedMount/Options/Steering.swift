import Control
import NIOConcurrencyHelpers
import Streaming

/// What the user says of the network while a mount runs.
///
/// Safe from any thread; one turn at a time is taken by `MountParts`.
final class Steering: Sendable {
  private struct State {
    var mode = Mode.online
    var rate: Int?
    /// When a pause ended last.
    var resumed: SuspendingClock.Instant?
  }

  private let state: NIOLockedValueBox<State>

  init(_ mode: Mode, rate: Int?) {
    state = NIOLockedValueBox(State(mode: mode, rate: rate))
  }

  var mode: Mode { state.withLockedValue { $0.mode } }

  /// Bytes a second that all origins together may send; nil: any number.
  var rate: Int? { state.withLockedValue { $0.rate } }

  func turn(_ mode: Mode) {
    state.withLockedValue { state in
      if state.mode == .paused, mode != .paused { state.resumed = SuspendingClock().now }
      state.mode = mode
    }
  }

  func limit(to rate: Int?) {
    state.withLockedValue { $0.rate = rate }
  }

  /// How long an answer to the kernel may take, where it is `usual` if nothing is paused: who waited for
  /// the end of a pause has waited for longer.
  func patience(usual: Duration, paused: Duration) -> Duration {
    state.withLockedValue { state in
      let wasPaused = state.resumed.map { SuspendingClock().now - $0 < usual } ?? false
      return state.mode == .paused || wasPaused ? usual + paused : usual
    }
  }
}

extension Mode {
  var line: Line {
    switch self {
    case .online: .open
    case .paused: .paused
    case .offline: .offline
    }
  }
}
