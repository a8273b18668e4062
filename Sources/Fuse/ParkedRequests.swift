package import Glibc
import NIOConcurrencyHelpers
import Synchronization
import SystemPackage

/// The requests that wait for an answer, each with a way to end its wait.
///
/// Safe from any thread: one lock, a leaf; a wait's `cancel` is called after the lock is released.
final class ParkedRequests: Sendable {
  /// The most requests that may wait: half of those that the kernel allows at once. Waiting reads
  /// must never keep it from sending others.
  private let limit: Int
  /// The most requests that may wait for one cause: a dead one must not take every place.
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
    /// The number of waiting requests by cause.
    var counts: [String: Int] = [:]

    mutating func remove(_ number: UInt) {
      guard let parked = requests.removeValue(forKey: number) else { return }
      let count = counts[parked.cause, default: 1] - 1
      counts[parked.cause] = count > 0 ? count : nil
    }
  }

  private let state = NIOLockedValueBox(State())
  /// The number of waiting requests, changed under the lock.
  private let count = Atomic<Int>(0)

  /// - Parameter limit: the most requests that may wait, half of them for one cause.
  init(limit: Int) {
    self.limit = limit
    limitOfEach = limit / 2
  }

  /// Adds a request; false if too many wait already.
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
      count.store(state.requests.count, ordering: .relaxed)
      return true
    }
  }

  /// Removes a request that has its answer.
  func answered(_ number: UInt) {
    // A cached read never waited, and mostly no other read does. A request is parked before any
    // thread can answer it, so here its own place is counted.
    guard count.load(ordering: .relaxed) > 0 else { return }
    state.withLockedValue { state in
      state.remove(number)
      count.store(state.requests.count, ordering: .relaxed)
    }
  }

  /// Handles a signal to the caller of a request. The kernel reports a signal only once, so one
  /// that does not end the caller makes the request suspect: returns whether to look at it again.
  func interrupted(_ number: UInt) -> Bool {
    guard let parked = state.withLockedValue({ $0.requests[number] }) else { return false }
    if parked.caller.isEnding {
      parked.cancel()
      return false
    }
    state.withLockedValue { $0.requests[number]?.wasSignalled = true }
    return true
  }

  /// Looks again at callers that had a signal; returns whether any of them goes on.
  func recheckSignals() -> Bool {
    let signalled = state.withLockedValue { $0.requests.values.filter(\.wasSignalled) }
    let ending = signalled.filter { $0.caller.isEnding }
    for parked in ending { parked.cancel() }
    return ending.count < signalled.count
  }

  /// Returns the requests that have waited since `moment` or longer, which no request may, and ends
  /// their waits. A request that is still there at the next call has no end.
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

  /// Handles a descriptor of `handle` that `caller` closed, which may be the only sign of a killed
  /// reader: ends the waits of `caller`, and of threads that are gone.
  func left(_ handle: UInt64, by caller: Caller) {
    let requests = state.withLockedValue { $0.requests.values.filter { $0.handle == handle } }
    for parked in requests where parked.caller.thread == caller.thread || parked.caller.isGone {
      parked.cancel()
    }
  }
}

/// A request that should have had its answer long ago: a bug of feedfs, and all known facts.
package struct OverdueRequest: Hashable, Sendable {
  /// The waiting thread, and the name of its program; empty if the thread is gone.
  package let thread: pid_t
  package let program: String
  /// The cause of the wait.
  package let cause: String
  package let age: Duration
  /// The work that is being done for the request.
  package let story: String
  /// True when the wait was ended before, and the request still has no answer.
  package let hasNoEnd: Bool
}

/// The number of reads that the kernel allows at once (`max_background`).
///
/// When that many wait, every buffered read of the mount hangs, also of complete files. So
/// `ParkedRequests` takes half of the number.
enum Background {
  /// The requested number: some hundred readers of one feed, with the kernel's read-ahead for each,
  /// must not come near it.
  static let most = 4096
  /// The number up to which the kernel reads ahead.
  static let congestion = most * 3 / 4

  /// The granted number: an ordinary user has `max_user_bgreq`, which depends on the machine's
  /// memory.
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
