import Locks

/// Lets resolutions wait for their turn. In each lane, one resolution runs at a time.
///
/// Each site has a lane for players and one for other programs. So a player does not wait for a
/// program that opens all files of a folder. Safe from any thread. While its lock is locked, no
/// other lock is taken.
package final class ResolutionTurns: Sendable {
  struct Lane: Hashable, Sendable {
    let site: String
    let asker: PageAsker
  }

  /// The callers that wait for their turn, by lane. A lane that is not among the keys is free.
  private let waiting = Locked<[Lane: [CheckedContinuation<Void, Never>]]>([:])

  package init() {}

  /// Runs `body` when all earlier callers of the lane have ended.
  func alone<Value: Sendable>(
    in lane: Lane, _ body: @Sendable () async -> Value
  ) async -> Value {
    await withCheckedContinuation { turn in
      let isFree = waiting.withLock { waiting in
        guard waiting[lane] != nil else {
          waiting[lane] = []
          return true
        }
        waiting[lane]?.append(turn)
        return false
      }
      if isFree { turn.resume() }
    }
    let value = await body()
    let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
      guard waiting[lane]?.isEmpty == false else {
        waiting[lane] = nil
        return nil
      }
      return waiting[lane]?.removeFirst()
    }
    next?.resume()
    return value
  }
}
