import Dispatch
import Locks

/// A lock for each name. Work for one name never waits for work for another. A lock exists only
/// while a thread uses it, and may be held while the disk works. For any thread.
package final class NamedLocks<Name: Hashable & Sendable>: Sendable {
  private struct Place {
    let lock = Lock()
    var users = 0
  }

  /// The lock that every thread takes first. `holdingAll` holds it until its end, and all others
  /// hold it only for a moment.
  private let gate = Lock()
  /// The threads that have passed the gate and are not finished.
  private let inside = DispatchGroup()
  private let places = Locked<[Name: Place]>([:])

  package init() {}

  /// Runs `body`. No other thread runs a body for `name` meanwhile.
  package func holding<Result, Failure: Error>(
    _ name: Name, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let lock = enter(name)
    lock.lock()
    defer {
      lock.unlock()
      leave(name)
    }
    return try body()
  }

  /// Runs `body`. No other thread runs a body for any name meanwhile.
  package func holdingAll<Result>(_ body: () -> Result) -> Result {
    gate.lock()
    defer { gate.unlock() }
    inside.wait()
    return body()
  }

  private func enter(_ name: Name) -> Lock {
    gate.lock()
    defer { gate.unlock() }
    inside.enter()
    return places.withLock { places in
      var place = places[name] ?? Place()
      place.users += 1
      places[name] = place
      return place.lock
    }
  }

  private func leave(_ name: Name) {
    places.withLock { places in
      places[name]?.users -= 1
      if places[name]?.users == 0 { places[name] = nil }
    }
    inside.leave()
  }
}
