/// The clock and timer of this module. Tests advance it by hand.
package protocol Timekeeper: Sendable {
  /// The time since an arbitrary start; never goes back.
  var now: Duration { get }

  /// Calls `body` once after `delay`, on a thread of its own.
  func call(after delay: Duration, _ body: @escaping @Sendable () -> Void)
}
