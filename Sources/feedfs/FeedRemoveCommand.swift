import ArgumentParser
import FeedMount
import Settings

struct FeedRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "End the subscription to a feed.",
    discussion: "What was kept of it stays in the cache.")

  @Argument(help: "The feed's address, or its name.")
  var feed: String

  func run() throws {
    do throws(MountError) {
      let key = try? Subscriptions.key(Directories.place(feed))
      try ConfigurationFile.own.edit { (text, settings) throws(MountError) in
        let found = settings.feeds.firstIndex { subscription in
          subscription.name == feed || key.map { Subscriptions.is(subscription, $0) } ?? false
        }
        guard let found else {
          throw MountError(
            .noInput, "no such subscription; `feedfs feed list` shows those that there are")
        }
        text.remove(feed: found)
        print("removed \(Subscriptions.shown(settings.feeds[found]))")
        return true
      }
    } catch {
      throw complain(error)
    }
  }
}
