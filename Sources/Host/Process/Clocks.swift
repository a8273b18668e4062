import Dispatch
import Glibc
import Streaming

/// A clock that stops while the computer sleeps. A reader that waits when the lid is closed has the
/// rest of its timeout left when the lid is opened.
package final class SystemTimekeeper: Timekeeper {
  private let start = SuspendingClock.now
  private let queue: DispatchQueue

  /// - Parameter label: the name of the clock's queue.
  package init(_ label: String = "feedfs.time") {
    queue = DispatchQueue(label: label)
  }

  package var now: Duration {
    start.duration(to: .now)
  }

  func call(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
    guard delay > .zero else { return queue.async(execute: body) }
    let nanoseconds =
      delay.components.seconds * 1_000_000_000
      + delay.components.attoseconds / 1_000_000_000
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds) + 1), execute: body)
  }
}

/// The wall clock. Dates on disk come from it, since it runs on while the computer is off.
package enum WallClock {
  /// Returns the seconds since 1970.
  package static func now() -> Int {
    time(nil)
  }
}
