import Addresses
import ArgumentParser
import CommandTools
import FeedMount
import FeedReading
import Host
import Markup
import Quantities
import Settings

struct FeedAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Subscribe to a feed.",
    discussion: """
      Reads the feed, and shows its title and its first entries. An address that is no feed, or does not answer, \
      is refused. A mount of your subscriptions has the feed at once.
      """)

  @Argument(help: "The feed: an address or a file.")
  var feed: String

  @Option(help: "The name of the feed's folder; by default its title.")
  var name: String?

  @OptionGroup
  var rules: RuleOptions

  @OptionGroup
  var keeping: KeepOptions

  @Option(
    help: ArgumentHelp(
      "Which feed to take from a web page that names several: 1 is the first.",
      valueName: "number"))
  var take: Int?

  @Flag(help: "Subscribe without reading the feed.")
  var force = false

  func validate() throws {
    guard take ?? 1 > 0 else { throw ValidationError("--take takes a number above 0.") }
    guard take == nil || !force else {
      throw ValidationError(
        "--take needs the page to be read, and --force does not read it; leave out one of them.")
    }
  }

  func run() async throws {
    do throws(CommandError) {
      if let name { try Subscriptions.check(name: name) }
      let settings = try ConfigurationFile.ownSettings
      var place = Directories.typedPlace(feed)
      _ = try Subscriptions.key(place)
      if let known = Subscriptions.known(place, in: settings) { return say(isKnown(known)) }
      var summary: [String] = []
      if !force {
        let read = try await NewSubscription.read(
          place, rules.rules, over: settings, take: take, ask: ask)
        (place, summary) = (read.place, read.lines)
        if let known = read.leadsTo.flatMap({ Subscriptions.known($0, in: settings) }) {
          return say(isKnown(known, of: "the page's feed "))
        }
      }
      let key = try Subscriptions.key(place)
      let known = try ConfigurationFile.own.edit {
        text throws(SettingsError) -> Subscription? in
        if let known = Subscriptions.known(place, in: text.settings) { return known }
        var subscription = Subscription(url: place, name: name)
        subscription.settings.rules = rules.rules
        subscription.settings.keep = keeping.rule
        try text.add([subscription])
        return nil
      }
      if let known { return say(isKnown(known)) }
      let mounts = FollowingMounts.tell()
      let mend = mounts.isEmpty ? "; `feedfs mount DIRECTORY` mounts what you subscribe to" : ""
      say("added \(key.shown)\(mend)")
      for line in summary { say(line) }
      let new = Subscription(url: place, name: name)
      for line in Subscriptions.remarks(on: new, beside: settings.feeds) { remark(line) }
      for (mountPoint, errors) in mounts {
        if let path = FollowingMounts.path(of: key.shown, in: mountPoint) {
          say("its folder is \(path)")
        }
        for error in errors { say(error) }
      }
    } catch {
      throw complain(error)
    }
  }

  private func isKnown(_ known: Subscription, of what: String = "") -> String {
    let name = known.name.map { ", as \(PrintableText.line($0))" } ?? ""
    let rest = rules.rules.isEmpty ? "" : "; change its rules in config.toml"
    return "\(what)\(Subscriptions.shown(known)) is one of your subscriptions already\(name)\(rest)"
  }

  /// Asks the user which feed of a page is meant. Returns its number, from 1. If no user can
  /// answer, it is the first feed.
  private func ask(_ page: String, _ feeds: [FeedLink]) -> Int {
    say("\(page) names \(Quantity.count(feeds.count, "feed")):")
    for (index, feed) in feeds.enumerated() {
      say("  \(index + 1)  \(feed.title)  \(WebAddress.shown(feed.url))")
    }
    guard Question.canBeAsked else {
      say("feedfs takes the first; --take NUMBER takes another one")
      return 1
    }
    return Question.number("which feed? [1] ", from: 1...feeds.count, default: 1)
  }
}
