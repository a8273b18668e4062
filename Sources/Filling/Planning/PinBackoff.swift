import Quantities

/// The backoffs of pinned files whose bytes the disk did not take. These files are not fetched
/// again at once, because the disk may refuse the bytes again, and the line may be metered.
///
/// Each backoff of a file is twice as long as its last one, up to `maxPause`. After `end`, the next
/// backoff lasts for `first` again.
package struct PinBackoff<Name: Hashable & Sendable>: Sendable {
  private struct Pause {
    var backoff = Backoff(from: first, to: maxPause)
    var end = Duration.zero
  }

  private var pauses: [Name: Pause] = [:]

  package static var first: Duration { .seconds(60) }
  package static var maxPause: Duration { .seconds(6 * 3600) }

  package init() {}

  /// Returns whether a backoff of `name` is running.
  package func includes(_ name: Name, at now: Duration) -> Bool {
    pauses[name].map { $0.end > now } ?? false
  }

  /// Starts a backoff of `name` and returns its length. Returns nil if one is running already.
  package mutating func begin(_ name: Name, at now: Duration) -> Duration? {
    guard !includes(name, at: now) else { return nil }
    var pause = pauses[name] ?? Pause()
    let length = pause.backoff.failed()
    pause.end = now + length
    pauses[name] = pause
    return length
  }

  /// Ends the backoff of `name`. The next one has the shortest length again.
  package mutating func end(_ name: Name) {
    pauses[name] = nil
  }
}
