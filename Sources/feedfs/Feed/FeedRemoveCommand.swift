import ArgumentParser
import CommandTools
import Host
import Settings

struct FeedRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "End the subscription to a feed.",
    discussion: "Its cached files stay in the cache.")

  @Argument(help: "The feed: its address or its name.")
  var feed: String

  func run() throws {
    do throws(MountError) {
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
        throw MountError(
          .noInput, "no such subscription; `feedfs feed list` shows yours")
      }
      let isMounted = !MountPoint.ours.isEmpty
      say(
        "removed \(Subscriptions.shown(removed))"
          + (isMounted ? "; a mount that has it keeps it until it is mounted anew" : ""))
    } catch {
      throw complain(error)
    }
  }
}
