import Dispatch
import Filling
import Glibc

/// A clock that stops while the computer sleeps. So the computer's sleep does not use up the
/// timeout of a reader that waits.
final class SystemTimekeeper: Timekeeper {
  private let start = SuspendingClock.now
  private let queue: DispatchQueue

  /// - Parameter label: the name of the clock's queue.
  init(_ label: String) {
    queue = DispatchQueue(label: label)
  }

  var now: Duration {
    start.duration(to: .now)
  }

  func call(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
    guard delay > .zero else { return queue.async(execute: body) }
    queue.asyncAfter(deadline: .now() + delay.interval, execute: body)
  }
}

/// The wall clock. Dates on disk come from it, because it runs on while the computer is off. The
/// user can set it back.
package struct WallClock: Sendable {
  /// Returns the microseconds since 1970.
  package let microseconds: @Sendable () -> Int

  /// The clock of this computer.
  package static let real = WallClock {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }

  /// The seconds since 1970.
  package var seconds: Int {
    microseconds() / 1_000_000
  }
}

/// A clock that runs on while the computer sleeps. So a feed that became due during the sleep is
/// refreshed at once afterwards.
package protocol TaskClock: Sendable {
  /// The time since an arbitrary start; never goes back.
  var now: Duration { get }

  /// Returns after `time`; throws if the task is cancelled before that.
  func sleep(for time: Duration) async throws
}

/// The clock of this computer that also counts the time of its sleep.
struct SystemTaskClock: TaskClock {
  private static let start = ContinuousClock.now

  var now: Duration {
    Self.start.duration(to: .now)
  }

  func sleep(for time: Duration) async throws {
    try await Task.sleep(for: time)
  }
}

extension Duration {
  /// The duration for libdispatch, in nanoseconds. It is one nanosecond longer, so that rounding
  /// lets no wait end early.
  var interval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    return .nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000) + 1)
  }
}
