import Dispatch
import Glibc
import Streaming

/// The computer's clock, which stands still while it sleeps: a reader that waits when the lid is
/// closed has its time left when it is opened.
final class SystemTimekeeper: Timekeeper {
  private let start = SuspendingClock.now
  private let queue: DispatchQueue

  /// - Parameter label: of its thread.
  init(_ label: String = "feedfs.time") {
    queue = DispatchQueue(label: label)
  }

  var now: Duration {
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

/// The wall clock. Dates on disk come from it, since it goes on while the computer is off.
enum WallClock {
  /// Seconds since 1970.
  static func now() -> Int {
    time(nil)
  }
}
