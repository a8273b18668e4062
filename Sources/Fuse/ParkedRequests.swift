import NIOConcurrencyHelpers

/// The requests that wait for their answer, and how each can be ended before it.
///
/// Safe from any thread: one lock, a leaf; what ends a wait is called after it is released.
final class ParkedRequests: Sendable {
  /// Half of what the kernel lets be under way (`max_background`), so that reads which wait never
  /// keep others from being asked.
  static let limit = 256
  /// For each thing that is waited for, so that one that is dead cannot take every place.
  static let limitOfEach = 128

  private struct Parked {
    let caller: Caller
    let handle: UInt64
    let cause: String
    let cancel: @Sendable () -> Void
    var wasSignalled = false
  }

  private let requests = NIOLockedValueBox<[UInt: Parked]>([:])

  /// Returns false if too many wait already.
  func park(
    _ number: UInt, by caller: Caller, of handle: UInt64, for cause: String,
    cancel: @escaping @Sendable () -> Void
  ) -> Bool {
    requests.withLockedValue { requests in
      let alike = requests.values.count { $0.cause == cause }
      guard requests.count < Self.limit, alike < Self.limitOfEach else { return false }
      requests[number] = Parked(caller: caller, handle: handle, cause: cause, cancel: cancel)
      return true
    }
  }

  /// The request has its answer.
  func answered(_ number: UInt) {
    requests.withLockedValue { requests in
      guard !requests.isEmpty else { return }
      requests[number] = nil
    }
  }

  /// A signal came for the caller of a request. It is told only once, so one that does not end the
  /// caller makes the request suspect: returns true if it should be looked at again.
  func interrupted(_ number: UInt) -> Bool {
    guard let parked = requests.withLockedValue({ $0[number] }) else { return false }
    if parked.caller.isEnding {
      parked.cancel()
      return false
    }
    requests.withLockedValue { $0[number]?.wasSignalled = true }
    return true
  }

  /// Looks again at callers that had a signal; returns whether there are any left.
  func lookAgain() -> Bool {
    let signalled = requests.withLockedValue { $0.values.filter(\.wasSignalled) }
    let ending = signalled.filter { $0.caller.isEnding }
    for parked in ending { parked.cancel() }
    return ending.count < signalled.count
  }

  /// A descriptor of `handle` was closed by `caller`, which may be all that is heard of a reader that
  /// was killed: what it or a thread that is gone waits for ends.
  func left(_ handle: UInt64, by caller: Caller) {
    let requests = requests.withLockedValue { $0.values.filter { $0.handle == handle } }
    for parked in requests where parked.caller.thread == caller.thread || parked.caller.isGone {
      parked.cancel()
    }
  }
}
