import Addresses
import Catalog
package import FeedReading
package import Host
import Markup
package import Settings

/// Finds and checks the feeds in a configuration file, for the commands.
package enum Subscriptions {
  package static func key(_ place: String) throws(CommandError) -> FeedKey {
    do { return try FeedKey(place) } catch { throw CommandError(error) }
  }

  /// Returns whether the feed of `subscription` has the key `key` now, or had it before it moved.
  package static func `is`(_ subscription: Subscription, _ key: FeedKey) -> Bool {
    [subscription.typed, subscription.url].contains { (try? FeedKey($0))?.value == key.value }
  }

  /// Returns the subscription to the feed at `place`. If the user has subscribed to `place` itself,
  /// it is that subscription. Otherwise it is one to a feed that has moved to `place`; nil if there
  /// is none.
  package static func known(_ place: String, in settings: Settings) -> Subscription? {
    guard let key = try? key(place) else { return nil }
    return number(of: key, in: settings.feeds).map { settings.feeds[$0] }
  }

  /// Returns the index in `feeds` of the subscription to the feed with the key `key`; nil if there
  /// is none.
  package static func number(of key: FeedKey, in feeds: [Subscription]) -> Int? {
    feeds.firstIndex { (try? FeedKey($0.typed))?.value == key.value }
      ?? feeds.firstIndex { Self.is($0, key) }
  }

  /// Returns whether the user can subscribe to the feed at `url` because a list at `place` names
  /// it. A subscription counts as typed by the user, so feedfs reads it even if it is in the home
  /// network. Another person's list must not make feedfs send requests to the router there.
  package static func mayCome(_ url: String, from place: String) -> Bool {
    guard let list = try? WebAddress(parsing: FeedKey.validate(place)) else { return true }
    guard let host = try? WebAddress(parsing: FeedKey.validate(url)).host else { return false }
    let isName = host.contains(".") && host.last?.isLetter == true && !host.contains(":")
    let isAtHome = ["local", "localhost", "lan", "internal", "intranet", "arpa"].contains {
      host.hasSuffix(".\($0)")
    }
    return host == list.host || isName && !isAtHome
  }

  /// Returns a sentence for each name in `feeds` that cannot be the name of its feed's folder
  /// without a change.
  package static func remarks(on feeds: [Subscription]) -> [String] {
    var seen: Set<String> = []
    var told: Set<String> = []
    return feeds.compactMap(\.name).compactMap { (name: String) -> String? in
      let folder = FolderName.name(name, besides: [])
      if !seen.insert(folder).inserted, told.insert(folder).inserted {
        return "several subscriptions have the name \(name), but only one gets the folder \(folder)"
      }
      let reason = "because a folder cannot have the name \(name)"
      return folder == name ? nil : "a subscription gets the folder \(folder), \(reason)"
    }
  }

  /// Returns the remarks on `new` and `feeds` together that are not remarks on `feeds` alone.
  package static func remarks(on new: Subscription, beside feeds: [Subscription]) -> [String] {
    let before = remarks(on: feeds)
    return remarks(on: feeds + [new]).filter { !before.contains($0) }
  }

  /// Throws if no folder can have the name that a user gives to a feed.
  package static func check(name: String) throws(CommandError) {
    guard FolderName.isNameless(name) else { return }
    throw CommandError(
      .usage, "--name \"\(name)\": a folder cannot have this name; give another one")
  }

  /// Returns the feed's address without secrets, for display.
  package static func shown(_ subscription: Subscription) -> String {
    (try? FeedKey(subscription.url))?.shown ?? "an address that cannot be used"
  }

  package static func opml(of feeds: [Subscription]) -> String {
    let outlines = feeds.map { feed in
      let title = escaped(PrintableText.line(feed.name ?? shown(feed)))
      // The address is written in full, because other programs do not know the short forms that a
      // user can type in feedfs.
      let url = (try? FeedKey.validate(feed.url)) ?? feed.url
      return "    <outline type=\"rss\" text=\"\(title)\" xmlUrl=\"\(escaped(url))\"/>\n"
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <opml version="2.0">
        <head><title>feedfs subscriptions</title></head>
        <body>
      \(outlines.joined())  </body>
      </opml>

      """
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case _ where scalar.value < 0x20: " "
      default: String(scalar)
      }
    }.joined()
  }
}
