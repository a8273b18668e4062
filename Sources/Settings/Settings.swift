/// The contents of `config.toml`; a key has the name of the option that it stands for.
///
/// ```toml
/// min-free = "10G"                            # for every mount
/// resolver = ["yt-dlp", "-f", "b", "-g", "--", "{url}"]  # for every feed that does not say otherwise
///
/// [[feed]]
/// url = "https://example.org/talks.rss"
/// name = "talks"
/// pages = "all"
/// ```
package struct Settings: Hashable, Sendable {
  package var cacheDirectory: String?
  package var minFree: String?
  package var cacheSize: String?
  package var limitRate: String?
  package var fill: String?
  /// The timeout in seconds.
  package var readTimeout: Double?
  package var allowedPrivate: [String] = []
  package var proxy: String?
  package var authorities: String?
  /// TLS key pins by host.
  package var pins: [String: String] = [:]
  /// Whether the kernel may read complete files by itself.
  package var passthrough: Bool?
  package var logLevel: String?
  /// The player that `feedfs play` starts: a name, or a path from the root.
  package var player: String?
  /// The settings of feeds that do not say otherwise.
  package var defaults = FeedSettings()
  /// The feeds in the order of the file.
  package var feeds: [Subscription] = []

  package init() {}
}

/// The way a feed is read; nil: the default.
package struct FeedSettings: Hashable, Sendable {
  /// Seconds between two refreshes.
  package var refresh: Double?
  package var audio: Bool?
  package var maxHeight: Int?
  /// The number of pages; `Int.max`: all.
  package var pages: Int?
  package var guessesPages: Bool?
  package var sidecars: [String]?
  package var resolver: [String]?

  package init() {}

  /// Returns these settings, with those of `others` where these are nil.
  package func over(_ others: FeedSettings) -> FeedSettings {
    var all = self
    all.refresh = refresh ?? others.refresh
    all.audio = audio ?? others.audio
    all.maxHeight = maxHeight ?? others.maxHeight
    all.pages = pages ?? others.pages
    all.guessesPages = guessesPages ?? others.guessesPages
    all.sidecars = sidecars ?? others.sidecars
    all.resolver = resolver ?? others.resolver
    return all
  }
}

/// A feed that the user subscribed to.
package struct Subscription: Hashable, Sendable {
  /// The URL as written: it may hold a secret.
  package var url: String
  /// The name of its folder.
  package var name: String?
  /// Header fields for its origin, by name; they are secrets.
  package var headers: [String: String] = [:]
  package var settings = FeedSettings()

  package init(url: String, name: String? = nil) {
    self.url = url
    self.name = name
  }
}
