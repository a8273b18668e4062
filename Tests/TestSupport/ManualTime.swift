import Filling
import Locks

/// A clock that moves only when a test advances it, or with each look at it. For any thread.
package final class ManualTime: Timekeeper {
  private struct Call: Sendable {
    let due: Duration
    let body: @Sendable () -> Void
  }

  private struct State {
    var now: Duration = .zero
    var calls: [Call] = []
  }

  private let state = Locked(State())
  private let step: Duration

  /// - Parameter step: the time that passes with each look at the clock, as on a busy machine.
  package init(step: Duration = .zero) {
    self.step = step
  }

  package var now: Duration {
    state.withLock { state in
      state.now += step
      return state.now
    }
  }

  /// The number of armed calls.
  package var armed: Int {
    state.withLock { $0.calls.count }
  }

  /// When the next call is due; nil if none is armed.
  package var nextCall: Duration? {
    state.withLock { $0.calls.map(\.due).min() }
  }

  package func call(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.calls.append(Call(due: $0.now + delay, body: body)) }
  }

  /// Drops all armed calls. They would be a cycle: a call holds the object that armed it, and that
  /// object holds the time.
  package func end() {
    state.withLock { $0.calls = [] }
  }

  /// Advances the time; runs the calls that fall due in order, each at its instant.
  package func advance(by duration: Duration) {
    let end = now + duration
    while let body = takeCall(dueBy: end) { body() }
    state.withLock { $0.now = end }
  }

  private func takeCall(dueBy end: Duration) -> (@Sendable () -> Void)? {
    state.withLock { state in
      let first = state.calls.indices.min { state.calls[$0].due < state.calls[$1].due }
      guard let first, state.calls[first].due <= end else { return nil }
      let call = state.calls.remove(at: first)
      state.now = max(state.now, call.due)
      return call.body
    }
  }
}
