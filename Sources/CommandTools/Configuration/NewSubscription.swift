import FeedMount
package import FeedReading
import Glibc
package import Host
import Markup
import Quantities
package import Settings

/// Reads a feed before the user subscribes to it.
package enum NewSubscription {
  /// The number of entries that are shown before the user subscribes.
  private static let shown = 3

  /// The feed that was found at a place.
  package struct Found {
    /// The place to subscribe to.
    package let place: String
    /// The address of the feed if the place is a web page that names only this feed; otherwise nil.
    package let leadsTo: String?
    /// The lines that describe the feed to the user.
    package let lines: [String]
  }

  /// Reads the document at a place. If it is a web page, also reads the feed that the page names.
  /// Throws if there is no feed.
  ///
  /// - Parameters:
  ///   - rules: the rules that the user gives the feed.
  ///   - take: if the place is a web page that names several feeds, the number of the feed to read,
  ///     from 1. If nil, `ask` is called.
  ///   - ask: returns the number of the feed to read, from 1. Its arguments are the page's address
  ///     for display, and at least two feeds.
  package static func read(
    _ place: String, _ rules: EntryRules, over settings: Settings, take: Int?,
    ask: (String, [FeedLink]) -> Int
  ) async throws(CommandError) -> Found {
    let network = try NetworkOptions(nil, over: settings)
    do throws(CommandError) {
      var choice = try choice(place, over: settings)
      var leadsTo: String?
      var feed = try await FeedPreview.document(choice, network: network)
      if feed.kind == .index, feed.entries.isEmpty, !feed.feeds.isEmpty {
        let named = feed.feeds.filter { Subscriptions.mayCome($0.url, from: place) }
        if let take, take > max(named.count, 1) {
          throw CommandError(
            .usage,
            "--take \(take) is too high: the page names only \(Quantity.count(named.count, "feed"))"
          )
        }
        // If a web page names only one feed, the user subscribes to the page. When the feed moves,
        // the page will name its new address.
        if named.count > 1 {
          let number = take ?? ask(Subscriptions.shown(place), named)
          choice = try self.choice(named[number - 1].url, over: settings)
        } else {
          leadsTo = named.first?.url
        }
        feed = try await FeedPreview.read(choice, base: nil, network: network)
      }
      let sifted = SiftedFeed(
        feed, by: rules.over(settings.defaults.rules), now: time(nil))
      return Found(
        place: choice.address, leadsTo: leadsTo,
        lines: lines(about: feed, sifted) + Subscriptions.moves(of: feed, choice))
    } catch {
      guard error.code != .usage else { throw error }
      throw CommandError(error.code, "\(error); --force subscribes anyway")
    }
  }

  /// Returns the lines that describe a feed: its title, its first entries, and the number of its
  /// other entries.
  ///
  /// - Parameter sifted: the entries that the rules leave out.
  package static func lines(about feed: Feed, _ sifted: SiftedFeed = SiftedFeed()) -> [String] {
    if feed.kind == .opml {
      return ["the address is that of a list of \(Quantity.count(feed.feeds.count, "feed"))"]
    }
    let files = feed.entries.indices.filter { feed.entries.skipped(at: $0) == nil }
    let playable = files.filter { sifted.rules[$0] == nil }
    var lines = feed.title.isEmpty ? [] : [PrintableText.line(feed.title)]
    lines += playable.prefix(shown).map { index in
      let entry = feed.entries[index]
      return "  \(entry.day ?? "-")  \(PrintableText.line(entry.title))"
    }
    let others = playable.count - shown
    if others > 0 { lines.append("  and \(Quantity.count(others, "other"))") }
    if playable.count < files.count {
      let left = Quantity.count(files.count - playable.count)
      lines.append("  your rules leave out \(left) of \(Quantity.count(files.count))")
    } else if playable.isEmpty {
      lines.append("no entry of the feed can be played; `feedfs feed show --all` says why")
    }
    return lines
  }

  private static func choice(
    _ place: String, over settings: Settings
  ) throws(CommandError) -> FeedChoice {
    var choice = FeedChoice(Subscription(url: place), nil, over: settings)
    choice.login = try NetrcFile.own?.login(for: choice.address)
    try choice.check()
    return choice
  }
}
