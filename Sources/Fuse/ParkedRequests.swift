package import Glibc
import Locks
import Synchronization
import SystemPackage

/// The requests that wait for an answer, each with a function that ends its waiting.
///
/// Safe from any thread. It has one lock, and takes no other lock while it holds that one. `cancel`
/// is called after the lock is released.
final class ParkedRequests: Sendable {
  /// The limit for waiting requests: half of the number that the kernel allows at once. So waiting
  /// reads never keep the kernel from sending other requests.
  private let limit: Int
  /// The limit for requests that wait for one cause. Without it, the requests that wait for a dead
  /// origin could use up `limit`.
  private let limitOfEach: Int

  private struct Parked {
    let caller: Caller
    let handle: UInt64
    let cause: String
    let since: SuspendingClock.Instant
    let story: @Sendable () -> String
    let silence: @Sendable () -> Duration?
    let cancel: @Sendable () -> Void
    var wasSignalled = false
    var wasOverdue = false
  }

  private struct State {
    var requests: [UInt: Parked] = [:]
    /// The number of waiting requests by cause.
    var counts: [String: Int] = [:]
    /// The file handles at which no request is allowed to wait until the given time, because
    /// `release` has ended waits there.
    var released: [UInt64: SuspendingClock.Instant] = [:]

    mutating func remove(_ number: UInt) {
      guard let parked = requests.removeValue(forKey: number) else { return }
      let count = counts[parked.cause, default: 1] - 1
      counts[parked.cause] = count > 0 ? count : nil
    }
  }

  private let state = Locked(State())
  /// The number of waiting requests. It is changed under the lock, and read without it.
  private let count = Atomic<Int>(0)

  /// - Parameter limit: the limit for waiting requests. At most half as many can wait for one
  ///   cause.
  init(limit: Int) {
    self.limit = limit
    limitOfEach = limit / 2
  }

  /// Adds a request. Returns false if it is not allowed to wait, because too many requests wait
  /// already, or because `release` has just ended the waits at its file handle.
  ///
  /// - Parameter silence: returns the time since the last bytes came, if the request can wait as
  ///   long as bytes come; nil if its wait has a deadline of its own. Called without the lock.
  func park(
    _ number: UInt, by caller: Caller, of handle: UInt64, for cause: String,
    since: SuspendingClock.Instant = SuspendingClock().now, story: @escaping @Sendable () -> String,
    silence: @escaping @Sendable () -> Duration? = { nil },
    cancel: @escaping @Sendable () -> Void
  ) -> Bool {
    state.withLock { state in
      if !state.released.isEmpty { state.released = state.released.filter { $0.value > since } }
      guard state.requests.count < limit, state.counts[cause, default: 0] < limitOfEach,
        state.released[handle] == nil
      else { return false }
      state.remove(number)
      state.requests[number] = Parked(
        caller: caller, handle: handle, cause: cause, since: since, story: story, silence: silence,
        cancel: cancel)
      state.counts[cause, default: 0] += 1
      count.store(state.requests.count, ordering: .relaxed)
      return true
    }
  }

  /// Removes a request that has its answer.
  func answered(_ number: UInt) {
    // Usually no request waits, so there is nothing to remove. Each request that waits is counted
    // before any thread can answer it. So the count is never 0 for a waiting request.
    guard count.load(ordering: .relaxed) > 0 else { return }
    state.withLock { state in
      state.remove(number)
      count.store(state.requests.count, ordering: .relaxed)
    }
  }

  /// Handles a signal to the caller of a request. Ends the wait if the signal ends the caller.
  /// Otherwise returns true: the caller must be checked again later, because the kernel reports
  /// only the first signal.
  func interrupted(_ number: UInt) -> Bool {
    guard let parked = state.withLock({ $0.requests[number] }) else { return false }
    if parked.caller.isEnding {
      parked.cancel()
      return false
    }
    state.withLock { $0.requests[number]?.wasSignalled = true }
    return true
  }

  /// Checks the callers that had a signal again, and ends the waits of those that are ending.
  /// Returns whether any other caller had a signal.
  func recheckSignals() -> Bool {
    let signalled = state.withLock { $0.requests.values.filter(\.wasSignalled) }
    let ending = signalled.filter { $0.caller.isEnding }
    for parked in ending { parked.cancel() }
    return ending.count < signalled.count
  }

  /// Ends the waits of the requests that have waited since `moment` or longer, and returns them. If
  /// a request still waits at the next call, its `OverdueRequest.hasNoEnd` is true. A request for
  /// which bytes have come since `moment` is not overdue.
  func overdue(since moment: SuspendingClock.Instant, at now: SuspendingClock.Instant)
    -> [OverdueRequest]
  {
    let old = state.withLock { state in state.requests.filter { $0.value.since <= moment } }
    let silent = old.filter { $0.value.silence().map { now - $0 <= moment } ?? true }
    let late = state.withLock { state in
      // Some of these requests can have their answer by now.
      let late = silent.keys.compactMap { number in state.requests[number].map { (number, $0) } }
      for (number, _) in late { state.requests[number]?.wasOverdue = true }
      return late.map(\.1)
    }
    let overdue = late.map { parked in
      OverdueRequest(
        thread: parked.caller.thread, program: parked.caller.program, cause: parked.cause,
        age: now - parked.since, story: parked.story(), hasNoEnd: parked.wasOverdue)
    }
    for parked in late { parked.cancel() }
    return overdue
  }

  /// Ends the waits of a process, and returns their number. For `releaseTime`, no request is
  /// allowed to wait at the same file handles, because the kernel repeats a failed read-ahead page
  /// by page.
  func release(_ process: pid_t, at now: SuspendingClock.Instant = SuspendingClock().now) -> Int {
    let requests = state.withLock { Array($0.requests.values) }
    let released = requests.filter { $0.caller.process == process }
    state.withLock { state in
      // A request to open a file has no file handle yet.
      for parked in released where parked.handle != 0 {
        state.released[parked.handle] = now + Self.releaseTime
      }
    }
    for parked in released { parked.cancel() }
    return released.count
  }

  private static let releaseTime = Duration.milliseconds(500)

  /// Acts on the close of a descriptor of `handle` by `caller`. Ends the waits of `caller` on that
  /// file, and those of threads that are gone. The close is sometimes the only sign that a reader
  /// was killed.
  func left(_ handle: UInt64, by caller: Caller) {
    let requests = state.withLock { $0.requests.values.filter { $0.handle == handle } }
    for parked in requests where parked.caller.thread == caller.thread || parked.caller.isGone {
      parked.cancel()
    }
  }
}

/// A request that should have had its answer long ago, with all known facts. Such a request is due
/// to a bug of feedfs.
package struct OverdueRequest: Hashable, Sendable {
  /// The waiting thread, and the name of its program. The name is empty if the thread is gone.
  package let thread: pid_t
  package let program: String
  /// The cause of the wait.
  package let cause: String
  package let age: Duration
  /// The work that the daemon does for the request.
  package let story: String
  /// True if the watchdog has ended the wait before, and the request still has no answer.
  package let hasNoEnd: Bool
}

/// The number of reads that the kernel allows at once (`max_background`).
///
/// If this number of reads wait, every buffered read of the mount hangs, even of complete files. So
/// `ParkedRequests` lets only half of this number wait.
enum Background {
  /// The requested number. Some hundred readers of one feed need far less, even with the kernel's
  /// read-ahead for each of them.
  static let maxRequests = 4096
  /// The number of waiting reads at which the kernel stops reading ahead.
  static let congestion = maxRequests * 3 / 4

  /// The number that the kernel grants. Its parameter `max_user_bgreq` limits ordinary users, and
  /// depends on the machine's memory.
  static let granted = min(maxRequests, limitOfUsers ?? maxRequests)

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
