import ArgumentParser
import CommandTools
import FeedMount
import Catalog
import FeedReading
import Glibc
import Host
import Settings

struct FeedShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the files that a feed would have, without mounting it.")

  @Argument(help: "The feed: an address or a file.")
  var feed: String

  @Option(
    help: ArgumentHelp(
      "The address from which a file comes, for relative links in it.", valueName: "url"))
  var base: String?

  @Flag(help: "Show also the entries that are left out or cannot be played, with the reason.")
  var all = false

  @OptionGroup
  var options: FeedOptions

  @OptionGroup
  var rules: RuleOptions

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup
  var network: NetworkArguments

  func run() async throws {
    do throws(CommandError) {
      let place = Directories.typedPlace(feed)
      // If `place` is the path of a file, no request is needed, and so no settings.
      let settings = place.hasPrefix("/") ? Settings() : try ConfigurationFile.ownSettings
      let known = Subscriptions.known(place, in: settings) ?? Subscription(url: place)
      let mounted = FeedChoice(known, nil, over: settings)
      // If the feed has moved, its login and headers belong to its old address, so the choice is
      // made with that.
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
      let sifted = SiftedFeed(feed, by: rules.rules.over(mounted.rules), now: time(nil))
      if json {
        say(
          json: Array(
            FeedReport.json(of: feed, choice: choice.media, sifted: sifted, all: all).utf8))
      } else {
        let table = FeedReport.table(
          of: feed, choice: choice.media, sifted: sifted, all: all)
        // With --all, lines are not cut, because the reasons at their ends matter.
        if all {
          say(table, terminator: "")
        } else {
          say(table: table.split(separator: "\n").map(String.init))
        }
        let skipped = feed.entries.count { $0.skipped != nil }
        let left = skipped + sifted.rules.count
        if left > 0, !all {
          let what =
            skipped == feed.entries.count ? "no entry can be played" : "\(left) left out"
          say("\(what); --all says why")
        }
        if !feed.next.isEmpty {
          say("the feed has a further page; `feedfs feed more` makes a mount read it")
        }
        for line in Subscriptions.moves(of: feed, choice) { say(line) }
      }
    } catch {
      throw complain(error)
    }
  }
}
