/// The clock and timer that `EntryFiller` needs. Tests have a clock that they advance by hand.
package protocol Timekeeper: Sendable {
  /// The time since an arbitrary start; never goes back.
  var now: Duration { get }

  /// Calls `body` once after `delay`, on a thread that is not the caller's.
  func call(after delay: Duration, _ body: @escaping @Sendable () -> Void)
}
