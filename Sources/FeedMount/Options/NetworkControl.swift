import Blocks
import Control
import Filling
import Locks
import Quantities

/// The network mode, the rate limit, and whether the network is metered. The user can change all
/// three while a mount runs.
///
/// Safe from any thread. `MountContext` makes one change after the other.
final class NetworkControl: Sendable {
  private struct State {
    var mode = NetworkMode.online
    var rate = Rate.unlimited
    var isMetered = false
    /// The time at which the last pause ended.
    var resumed: Duration?
  }

  private let clock: any Timekeeper
  private let state: Locked<State>

  init(_ mode: NetworkMode, rate: Rate, isMetered: Bool = false, clock: any Timekeeper) {
    self.clock = clock
    state = Locked(State(mode: mode, rate: rate, isMetered: isMetered))
  }

  var mode: NetworkMode { state.withLock { $0.mode } }

  /// Whether background work that the user has not asked for is allowed to use the network.
  var mayProbe: Bool { mode == .online && !isMetered }

  /// The rate limit of all origins together.
  var rate: Rate { state.withLock { $0.rate } }

  /// True if each byte costs the user something. Then feedfs fetches only bytes that are read now
  /// or soon, and bytes that a command asks for.
  var isMetered: Bool { state.withLock { $0.isMetered } }

  /// True if the read-ahead is short, because the network is metered or its rate is limited.
  var isSparing: Bool {
    state.withLock { $0.isMetered || $0.rate.bytesPerSecond != nil }
  }

  func meter(_ isMetered: Bool) {
    state.withLock { $0.isMetered = isMetered }
  }

  func turn(_ mode: NetworkMode) {
    let now = clock.now
    state.withLock { state in
      if state.mode == .paused, mode != .paused { state.resumed = now }
      state.mode = mode
    }
  }

  func limit(to rate: Rate) {
    state.withLock { $0.rate = rate }
  }

  /// Returns the timeout of an answer to the kernel. It is `usual`. During a pause, and for the
  /// time `usual` after the pause, it is longer by `paused`, because some reads began in the pause.
  func answerTimeout(usual: Duration, paused: Duration) -> Duration {
    let now = clock.now
    return state.withLock { state in
      let wasPaused = state.resumed.map { now - $0 < usual } ?? false
      return state.mode == .paused || wasPaused ? usual + paused : usual
    }
  }
}
