import ArgumentParser
import CommandTools
import Host
import FeedReading
import Settings

struct FeedAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Subscribe to a feed.")

  @Argument(help: "The feed: an address or a file.")
  var feed: String

  @Option(help: "The name of the feed's folder; by default its title.")
  var name: String?

  func run() throws {
    do throws(MountError) {
      let place = Directories.place(feed)
      let key = try Subscriptions.key(place)
      let isNew = try ConfigurationFile.own.edit { text throws(SettingsError) in
        guard !text.settings.feeds.contains(where: { Subscriptions.is($0, key) }) else {
          return false
        }
        try text.add([Subscription(url: place, name: name)])
        return true
      }
      say(
        isNew
          ? "added \(key.shown); `feedfs mount DIRECTORY` mounts what you subscribe to, `feedfs feed show` looks at it"
          : "\(key.shown) is among your subscriptions already")
    } catch {
      throw complain(error)
    }
  }
}
