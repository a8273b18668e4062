import Addresses
import Control
import FeedReading
import HTTP
import Host
import Logging
import Locks
import World

/// Keeps a mount of subscriptions in step with the configuration file.
extension MountContext {
  /// The state of a mount that follows the subscriptions.
  struct Following: Sendable {
    /// The reason why the mount does not have the subscriptions as the file names them.
    var problem: String?
    var logged = LastWords()
    /// True if a later try is scheduled.
    var waits = false
  }

  /// The time until feeds that could not join are tried again. Another mount can have them in use.
  private static let backoff: Duration = .seconds(60)

  /// Gives the mount the subscriptions that the file names now. If the file cannot be understood,
  /// the earlier subscriptions stay in force. Returns nil if the mount follows no file.
  func followSubscriptions() async -> Result<SubscriptionsOutcome, CommandError>? {
    guard followed != nil else { return nil }
    let result = Locked<Result<SubscriptionsOutcome, CommandError>?>(nil)
    await changing.alone { [self] in
      let outcome = await follow()
      result.withLock { $0 = outcome }
    }
    return result.withLock { $0 }
  }

  /// Gives the mount the subscriptions of the file, because the file has changed.
  func subscriptionsChanged() {
    world.tasks.start { [weak self] in _ = await self?.followSubscriptions() }
  }

  // MARK: Private

  private func follow() async -> Result<SubscriptionsOutcome, CommandError>? {
    guard let followed else { return nil }
    do throws(CommandError) {
      let choices = try followed.choices()
      let outcome = try await feeds.follow(choices) { joining in
        let typed = NetworkOptions.typed(in: joining)
        await client.typed(hosts: Set(typed.map(\.address.host)), urls: typed)
      }
      // The network mode might have changed while the feeds were made.
      for place in places { place.feed.turn(networkControl.mode) }
      note(outcome.errors.first)
      if !outcome.errors.isEmpty { tryAgainLater() }
      if !outcome.added.isEmpty || !outcome.removed.isEmpty {
        log.info(
          "the mount follows a change of your subscriptions",
          metadata: ["new": "\(outcome.added.count)", "gone": "\(outcome.removed.count)"])
      }
      return .success(outcome)
    } catch {
      note(error.description)
      return .failure(error)
    }
  }

  private func note(_ problem: String?) {
    let isNews = following.withLock { following in
      following.problem = problem
      return following.logged.take(problem)
    }
    guard isNews, let problem else { return }
    log.warning(
      "the mount could not follow a change of your subscriptions", metadata: ["why": "\(problem)"])
  }

  private func tryAgainLater() {
    let isNew = following.withLock { following in
      defer { following.waits = true }
      return !following.waits
    }
    guard isNew else { return }
    world.tasks.start { [weak self, tasks = world.tasks] in
      guard (try? await tasks.sleep(for: Self.backoff)) != nil, let self else { return }
      following.withLock { $0.waits = false }
      _ = await followSubscriptions()
    }
  }
}
