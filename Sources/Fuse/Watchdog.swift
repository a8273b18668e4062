import Dispatch

/// Looks for requests that should have had their answer long ago.
///
/// Each wait has a deadline of its own, so there are none; but a reader whose request was lost could not
/// be ended, not even by SIGKILL. Such a one is told of, and its wait ended. If that does not help either,
/// `hasNoEnd` says so, and who is told had better give up the whole mount.
///
/// Looks on a queue of its own, so that nothing it watches over can hold it up, and by a clock that
/// stands still while the computer sleeps, as the deadlines do.
///
/// `@unchecked Sendable`: the timer is set once, and a dispatch source may be used from any thread.
final class Watchdog: @unchecked Sendable {
  private let timer: any DispatchSourceTimer

  /// - Parameters:
  ///   - patience: how long a request may wait, as things are.
  ///   - tell: called on the watchdog's queue.
  init(
    over parked: ParkedRequests, patience: @escaping @Sendable () -> Duration,
    tell: @escaping @Sendable (OverdueRequest) -> Void
  ) {
    let queue = DispatchQueue(label: "feedfs.watchdog", qos: .utility)
    timer = DispatchSource.makeTimerSource(queue: queue)
    let interval = DispatchTimeInterval.milliseconds(
      max(1000, Int(patience() / .milliseconds(4))))
    timer.setEventHandler {
      let now = SuspendingClock().now
      for request in parked.overdue(since: now - patience(), at: now) { tell(request) }
    }
    timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(500))
    timer.activate()
  }

  deinit {
    timer.cancel()
  }
}
