import ArgumentParser
import CommandTools
import FeedMount
import FeedReading
import Host
import Settings
import SystemPackage

struct FeedImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Subscribe to the feeds of a list (OPML).")

  @Argument(help: "The list: a file, or an address.", completion: .file())
  var list: String

  func run() async throws {
    do throws(CommandError) {
      let place =
        list.contains(":") ? Directories.place(list) : Directories.absolute(list).string
      let settings = try ConfigurationFile.ownSettings
      var choice = FeedChoice(place)
      choice.login = try NetrcFile.own?.login(for: place)
      try choice.check()
      let feed = try await FeedPreview.read(
        choice, base: nil, network: NetworkOptions(nil, over: settings))
      guard feed.kind == .opml else {
        throw CommandError(
          .noInput,
          "\(Subscriptions.shown(place)) is a feed, not a list; `feedfs feed add` subscribes to it")
      }
      let added = try ConfigurationFile.own.edit { text throws(SettingsError) in
        let subscribed = text.settings.feeds.flatMap { [$0.typed, $0.url] }
        var known = Set(subscribed.compactMap { try? Subscriptions.key($0).value })
        let new = feed.feeds.filter { link in
          guard let key = try? Subscriptions.key(link.url),
            Subscriptions.mayCome(link.url, from: place)
          else { return false }
          return known.insert(key.value).inserted
        }
        try text.add(
          new.map { Subscription(url: $0.url, name: $0.title.isEmpty ? nil : $0.title) })
        return new.count
      }
      say("added \(added) of \(feed.feeds.count) feeds")
      for (_, errors) in FollowingMounts.tell() {
        for error in errors { say(error) }
      }
    } catch {
      throw complain(error)
    }
  }
}
