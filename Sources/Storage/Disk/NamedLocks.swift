import Dispatch
import Locks

/// A lock for each name. Work for one name never waits for work for another name. A lock exists
/// only while a thread uses it. It is allowed to be held while the disk works. For any thread.
package final class NamedLocks<Name: Hashable & Sendable>: Sendable {
  private struct Place {
    let lock = Lock()
    var users = 0
  }

  /// The lock that every thread takes first. `holdingAll` holds it until it returns, and `holding`
  /// holds it only for a moment.
  private let gate = Lock()
  /// The threads that have taken the gate in `holding`, and whose bodies have not ended yet.
  private let inside = DispatchGroup()
  private let places = Locked<[Name: Place]>([:])

  package init() {}

  /// Runs `body`. Meanwhile no other thread runs a body for `name`.
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

  /// Runs `body`. Meanwhile no other thread runs a body for any name.
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
