/// The passing of time, as the heart sees it: tests turn it by hand.
package protocol Timekeeper: Sendable {
  /// Time since an arbitrary start; never goes back.
  var now: Duration { get }

  /// Calls `body` once, on a thread of its own, when `delay` has passed.
  func call(after delay: Duration, _ body: @escaping @Sendable () -> Void)
}
