/// The delay before something that has failed is tried again. It grows with each failure in a row.
///
/// A value without a clock: it only tells how long to wait.
package struct Backoff: Hashable, Sendable {
  private let first: Duration
  private let maxDelay: Duration
  private let factor: Int
  /// The delay after the next failure.
  package private(set) var next: Duration

  package init(from first: Duration, to maxDelay: Duration, factor: Int = 2) {
    self.first = first
    self.maxDelay = maxDelay
    self.factor = factor
    next = min(first, maxDelay)
  }

  /// Counts a failure and returns the delay after it.
  ///
  /// - Parameter told: the delay that the other side asks for; nil if it asks for none. It is
  ///   allowed to exceed the longest delay of the backoff. It does not change later delays.
  @discardableResult
  package mutating func failed(atLeast told: Duration? = nil) -> Duration {
    defer { next = min(next * factor, maxDelay) }
    return max(next, told ?? .zero)
  }

  /// Starts again with the first delay, because something has succeeded.
  package mutating func reset() {
    next = min(first, maxDelay)
  }

  /// Undoes the last growth of the delay, because the failure that was counted may have been none.
  package mutating func ease() {
    next = max(next / factor, min(first, maxDelay))
  }

  /// Returns the delay after `count` failures in a row. `count` is at least 1.
  package func delay(afterFailures count: Int) -> Duration {
    var (delay, left) = (first, count - 1)
    while left > 0, delay < maxDelay { (delay, left) = (delay * factor, left - 1) }
    return min(delay, maxDelay)
  }
}
