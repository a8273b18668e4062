import ArgumentParser
import CommandTools
import FeedReading
import Host
import Settings

struct FeedRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "End the subscription to a feed.",
    discussion:
      "The folder of the feed goes when no file in it is open. Its cached files stay in the cache.")

  @Argument(
    help: "The feed: its address or its name.", completion: EntryCompletion.subscriptions)
  var feed: String

  func run() throws {
    do throws(CommandError) {
      let key = try? Subscriptions.key(Directories.place(feed))
      let removed = try ConfigurationFile.own.edit { text throws(SettingsError) -> Subscription? in
        let feeds = text.settings.feeds
        let found =
          feeds.firstIndex { $0.name == feed }
          ?? key.flatMap { Subscriptions.number(of: $0, in: feeds) }
        guard let found else { return nil }
        try text.remove(feed: found)
        return feeds[found]
      }
      guard let removed else {
        throw CommandError(
          .noInput, "you have no such subscription; `feedfs feed list` shows yours")
      }
      let mounts = FollowingMounts.tell()
      say("removed \(Subscriptions.shown(removed)); its cached files stay")
      guard let address = try? Subscriptions.key(removed.typed).shown else { return }
      for (mountPoint, _) in mounts {
        if let path = FollowingMounts.path(of: address, isLeaving: true, in: mountPoint) {
          say("the folder \(path) goes when no file in it is open")
        }
      }
    } catch {
      throw complain(error)
    }
  }
}
