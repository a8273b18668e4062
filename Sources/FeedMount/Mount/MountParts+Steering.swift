import Control
import HTTP
import NIOConcurrencyHelpers

/// Turns the mount online, paused or offline, and limits its rate.
extension MountParts {
  /// How long an answer to the kernel may take, as things are.
  var patience: @Sendable () -> Duration {
    { [steering, usual = options.patience] in
      steering.patience(usual: usual, paused: MountOptions.pausePatience)
    }
  }

  /// From now on `mode` holds: when this returns nothing is under way that may not be.
  func turn(_ mode: Mode) async {
    await turning.alone { [self] in
      steering.turn(mode)
      // What is fetched is let go of by those who fetch it before it is cut off, and may be asked for
      // again only when it can be.
      if mode == .online { await client.turn(isOpen: true) }
      for place in places { place.feed.turn(mode) }
      if mode != .online { await client.turn(isOpen: false) }
    }
  }

  /// From now on all origins together may send `rate` bytes a second; nil: any number.
  func limit(to rate: Int?) async {
    await turning.alone { [self] in
      steering.limit(to: rate)
      await client.limit(to: rate)
    }
  }
}

/// Lets one after the other do what takes its time, in the order in which they came.
///
/// Safe from any thread.
final class Turns: Sendable {
  private let last = NIOLockedValueBox<Task<Void, Never>?>(nil)

  /// Returns when `body` is done, and all that came before it.
  func alone(_ body: @escaping @Sendable () async -> Void) async {
    let task = last.withLockedValue { last in
      let before = last
      let task = Task {
        await before?.value
        await body()
      }
      last = task
      return task
    }
    await task.value
  }
}
