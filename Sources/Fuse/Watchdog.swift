import Dispatch

/// Finds requests that should have had an answer long ago.
///
/// Each wait has a deadline of its own, so there should be no such request. But if a request were
/// lost, not even SIGKILL could end its reader. The watchdog reports such a request, and ends its
/// wait. If the request still has no answer at the next report, `hasNoEnd` is true, and the
/// receiver should give up the whole mount.
///
/// The watchdog runs on a queue of its own, so nothing that it watches can hold it up. Its clock
/// stops while the computer sleeps, like the clocks of the deadlines.
///
/// `@unchecked Sendable`: the timer is set once, and any thread can use a dispatch source.
final class Watchdog: @unchecked Sendable {
  private let timer: any DispatchSourceTimer

  /// - Parameters:
  ///   - timeout: returns the longest time that a request is allowed to wait at present.
  ///   - tell: receives each overdue request, on the watchdog's queue.
  init(
    over parked: ParkedRequests, timeout: @escaping @Sendable () -> Duration,
    tell: @escaping @Sendable (OverdueRequest) -> Void
  ) {
    let queue = DispatchQueue(label: "feedfs.watchdog", qos: .utility)
    timer = DispatchSource.makeTimerSource(queue: queue)
    let interval = DispatchTimeInterval.milliseconds(
      max(1000, Int(timeout() / .milliseconds(4))))
    timer.setEventHandler {
      let now = SuspendingClock().now
      for request in parked.overdue(since: now - timeout(), at: now) { tell(request) }
    }
    timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(500))
    timer.activate()
  }

  deinit {
    timer.cancel()
  }
}
