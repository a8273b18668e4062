import Blocks
import Control
import HTTP
import Locks
import Quantities
import World

/// Sets the network mode of the mount, and limits its rate.
extension MountContext {
  /// A function that returns the longest time that an answer to the kernel is allowed to take now.
  var answerTimeout: @Sendable () -> Duration {
    { [networkControl, usual = options.settings.network.answerTimeout] in
      networkControl.answerTimeout(usual: usual, paused: NetworkOptions.pauseTimeout)
    }
  }

  /// Sets the network mode. When this returns, no fetch that the mode forbids is under way.
  func turn(_ mode: NetworkMode) async {
    await turning.alone { [self] in
      networkControl.turn(mode)
      // The order matters: the feeds cancel their fetches before the client closes, and ask again
      // only after the client has opened.
      if mode == .online { await client.turn(isOpen: true) }
      for place in feeds.all { place.feed.turn(mode) }
      if mode != .online { await client.turn(isOpen: false) }
      prober?.goOn()
    }
  }

  /// Limits the rate of all origins together.
  func limit(to rate: Rate) async {
    await turning.alone { [self] in
      networkControl.limit(to: rate)
      await client.limit(to: rate.bytesPerSecond)
      for place in places { place.feed.spare() }
    }
  }

  /// Notes whether the network connection is metered from now on.
  func meter(_ isMetered: Bool) async {
    await turning.alone { [self] in
      networkControl.meter(isMetered)
      preloader.meter(isMetered)
      for place in places { place.feed.spare() }
    }
  }
}

/// Runs async operations one at a time, in the order in which they were added.
///
/// Safe from any thread.
final class AsyncQueue: Sendable {
  private let tasks: Tasks
  private let last = Locked<Task<Void, Never>?>(nil)

  init(_ tasks: Tasks) {
    self.tasks = tasks
  }

  /// Runs `body` after all operations that came before it; returns when it is done.
  func alone(_ body: @escaping @Sendable () async -> Void) async {
    let task = last.withLock { last in
      let before = last
      let task = tasks.start {
        await before?.value
        await body()
      }
      last = task
      return task
    }
    await task.value
  }
}
