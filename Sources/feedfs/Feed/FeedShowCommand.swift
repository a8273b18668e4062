import ArgumentParser
import CommandTools
import FeedMount
import Catalog
import FeedReading
import Host
import Settings
import SystemPackage

struct FeedShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the files that a feed would have, without mounting it.")

  @Argument(help: "The feed: an address or a file.")
  var feed: String

  @Option(help: ArgumentHelp("The address that a file stands for.", valueName: "url"))
  var base: String?

  @Flag(help: "Show entries that cannot be played too, with the reason.")
  var all = false

  @OptionGroup
  var options: FeedOptions

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup
  var network: NetworkArguments

  /// The typed address, or the absolute path of a file. A text without a colon is a file.
  private var place: String {
    feed.contains(":") ? Directories.place(feed) : Directories.absolute(feed).string
  }

  func run() async throws {
    do throws(MountError) {
      // To read a file needs no request, and no settings.
      let settings = place.hasPrefix("/") ? Settings() : try ConfigurationFile.ownSettings
      let known = Subscriptions.known(place, in: settings) ?? Subscription(url: place)
      let mounted = FeedChoice(known, nil, over: settings)
      // Login and headers are for the old address of a feed that has moved.
      var choice = FeedChoice(known.was == nil ? place : mounted.address)
      choice.moved = mounted.moved
      choice.media = options.choice
      choice.media.pages = mounted.media.pages
      choice.media.announcedPages = mounted.media.announcedPages
      choice.headers = known.headers
      choice.login = try NetrcFile.own?.login(for: choice.address)
      try choice.check()
      let feed = try await FeedPreview.read(
        choice, base: base, network: NetworkOptions(network, over: settings))
      if json {
        say(json: Array(FeedReport.json(of: feed, choice: choice.media, all: all).utf8))
      } else {
        say(FeedReport.table(of: feed, choice: choice.media, all: all), terminator: "")
        if !feed.entries.contains(where: { $0.skipped == nil }), !all {
          say("none of its entries can be played; --all says why")
        }
        for line in Subscriptions.moves(of: feed, choice) { say(line) }
      }
    } catch {
      throw complain(error)
    }
  }
}
