package import Glibc
import NIOConcurrencyHelpers
import SystemPackage

/// The requests that wait for their answer, and how each can be ended before it.
///
/// Safe from any thread: one lock, a leaf; what ends a wait is called after it is released.
final class ParkedRequests: Sendable {
  /// Half of what the kernel lets be under way, so that reads which wait never keep others from being
  /// asked.
  private let limit: Int
  /// For each thing that is waited for, so that one that is dead cannot take every place.
  private let limitOfEach: Int

  private struct Parked {
    let caller: Caller
    let handle: UInt64
    let cause: String
    let since: SuspendingClock.Instant
    let story: @Sendable () -> String
    let cancel: @Sendable () -> Void
    var wasSignalled = false
    var wasOverdue = false
  }

  private struct State {
    var requests: [UInt: Parked] = [:]
    /// How many wait for each thing.
    var counts: [String: Int] = [:]

    mutating func remove(_ number: UInt) {
      guard let parked = requests.removeValue(forKey: number) else { return }
      let count = counts[parked.cause, default: 1] - 1
      counts[parked.cause] = count > 0 ? count : nil
    }
  }

  private let state = NIOLockedValueBox(State())

  /// - Parameter limit: requests that may wait, half of them for one thing.
  init(limit: Int) {
    self.limit = limit
    limitOfEach = limit / 2
  }

  /// Returns false if too many wait already.
  func park(
    _ number: UInt, by caller: Caller, of handle: UInt64, for cause: String,
    since: SuspendingClock.Instant = SuspendingClock().now, story: @escaping @Sendable () -> String,
    cancel: @escaping @Sendable () -> Void
  ) -> Bool {
    state.withLockedValue { state in
      guard state.requests.count < limit, state.counts[cause, default: 0] < limitOfEach else {
        return false
      }
      state.remove(number)
      state.requests[number] = Parked(
        caller: caller, handle: handle, cause: cause, since: since, story: story, cancel: cancel)
      state.counts[cause, default: 0] += 1
      return true
    }
  }

  /// The request has its answer.
  func answered(_ number: UInt) {
    state.withLockedValue { $0.remove(number) }
  }

  /// A signal came for the caller of a request. It is told only once, so one that does not end the
  /// caller makes the request suspect: returns true if it should be looked at again.
  func interrupted(_ number: UInt) -> Bool {
    guard let parked = state.withLockedValue({ $0.requests[number] }) else { return false }
    if parked.caller.isEnding {
      parked.cancel()
      return false
    }
    state.withLockedValue { $0.requests[number]?.wasSignalled = true }
    return true
  }

  /// Looks again at callers that had a signal; returns whether there are any left.
  func lookAgain() -> Bool {
    let signalled = state.withLockedValue { $0.requests.values.filter(\.wasSignalled) }
    let ending = signalled.filter { $0.caller.isEnding }
    for parked in ending { parked.cancel() }
    return ending.count < signalled.count
  }

  /// Those that have waited since `moment` or longer, which no wait may; their waits are ended. One that
  /// is still there when this is asked again has no end.
  func overdue(since moment: SuspendingClock.Instant, at now: SuspendingClock.Instant)
    -> [OverdueRequest]
  {
    let late = state.withLockedValue { state in
      let late = state.requests.filter { $0.value.since <= moment }
      for number in late.keys { state.requests[number]?.wasOverdue = true }
      return late.values
    }
    let overdue = late.map { parked in
      OverdueRequest(
        thread: parked.caller.thread, program: parked.caller.program, cause: parked.cause,
        age: now - parked.since, story: parked.story(), hasNoEnd: parked.wasOverdue)
    }
    for parked in late { parked.cancel() }
    return overdue
  }

  /// A descriptor of `handle` was closed by `caller`, which may be all that is heard of a reader that
  /// was killed: what it or a thread that is gone waits for ends.
  func left(_ handle: UInt64, by caller: Caller) {
    let requests = state.withLockedValue { $0.requests.values.filter { $0.handle == handle } }
    for parked in requests where parked.caller.thread == caller.thread || parked.caller.isGone {
      parked.cancel()
    }
  }
}

/// A request that should have had its answer long ago: our mistake, and all that is known of it.
package struct OverdueRequest: Hashable, Sendable {
  /// Who waits: a thread, and its program's name, empty if it is gone.
  package let thread: pid_t
  package let program: String
  /// What it waits for.
  package let cause: String
  package let age: Duration
  /// What is being done for it.
  package let story: String
  /// Its wait was ended before, and it still has no answer.
  package let hasNoEnd: Bool
}

/// How many reads the kernel lets be under way at once (`max_background`).
///
/// When so many wait, every buffered read of the mount hangs, also of files that are complete; so
/// `ParkedRequests` takes half of it.
enum Background {
  /// Some hundred readers of one feed, with the kernel's read-ahead of each, must not come near it.
  static let most = 4096
  /// Up to here the kernel reads ahead.
  static let congestion = most * 3 / 4

  /// What it grants: an ordinary user has `max_user_bgreq`, which goes by the machine's memory.
  static let granted = min(most, limitOfUsers ?? most)

  private static var limitOfUsers: Int? {
    let path = FilePath("/sys/module/fuse/parameters/max_user_bgreq")
    guard let file = try? FileDescriptor.open(path, .readOnly, options: .closeOnExec) else {
      return nil
    }
    defer { try? file.close() }
    let text = String(unsafeUninitializedCapacity: 16) { buffer in
      (try? file.read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
    }
    return text.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
  }
}
