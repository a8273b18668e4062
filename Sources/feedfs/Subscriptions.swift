import FeedMount
import Feeds
import Settings

/// What the commands do with feeds in a configuration file.
enum Subscriptions {
  static func key(_ place: String) throws(MountError) -> FeedKey {
    do { return try FeedKey(place) } catch { throw MountError(.usage, error.description) }
  }

  static func `is`(_ subscription: Subscription, _ key: FeedKey) -> Bool {
    (try? FeedKey(subscription.url))?.value == key.value
  }

  /// Without what may be a secret.
  static func shown(_ subscription: Subscription) -> String {
    (try? FeedKey(subscription.url))?.shown ?? "an address that cannot be used"
  }

  static func opml(of feeds: [Subscription]) -> String {
    let outlines = feeds.map { feed in
      let title = escaped(feed.name ?? shown(feed))
      // Others do not know the spellings that only a user would type.
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
