package import Quantities

/// The contents of `config.toml`. Each key has the name of the command-line option for the same
/// setting.
///
/// ```toml
/// min-free = "10G"                            # for every mount
/// resolver = ["yt-dlp", "-f", "b", "-g", "--", "{url}"]  # for every feed without its own
///
/// [[feed]]
/// url = "https://example.org/talks.rss"
/// name = "talks"
/// pages = "all"
/// ```
package struct Settings: Hashable, Sendable {
  package var cacheDirectory: String?
  package var minFree: Space?
  package var cacheSize: CacheSize?
  package var limitRate: Rate?
  /// True if the network is metered.
  package var isMetered: Bool?
  package var fill: FillPolicy?
  package var sizes: SizePolicy?
  /// The time after which a waiting read fails, in seconds.
  package var readTimeout: Double?
  package var allowedPrivate: [String] = []
  package var proxy: String?
  package var authorities: String?
  /// TLS key pins by host.
  package var pins: [String: String] = [:]
  /// True if the kernel is allowed to read complete files by itself.
  package var passthrough: Bool?
  package var logLevel: LogLevel?
  /// The player that `feedfs play` starts: a name, or an absolute path.
  package var player: String?
  /// The settings for all feeds. A feed's own settings replace them.
  package var defaults = FeedSettings()
  /// The feeds in the order of the file.
  package var feeds: [Subscription] = []

  package init() {}
}

extension Settings {
  /// Reads all keys except `feed`.
  mutating func read(_ reader: inout SettingsReader) throws(SettingsError) {
    cacheDirectory = try reader.text("cache-dir")
    authorities = try reader.text("cacert")
    // The paths must be absolute, because commands run in any directory, and no shell replaces `~`
    // here.
    for (key, path) in [("cache-dir", cacheDirectory), ("cacert", authorities)] {
      guard path?.hasPrefix("/") ?? true else {
        throw reader.error(key, "has to be a path from the root, like \"/var/\(key)\"")
      }
    }
    pins = try reader.pairs("pins") ?? [:]
    minFree = try reader.written("min-free")
    cacheSize = try reader.written("cache-size")
    limitRate = try reader.written("limit-rate")
    isMetered = try reader.flag("metered")
    fill = try reader.word("fill")
    sizes = try reader.word("sizes")
    readTimeout = try reader.seconds("read-timeout", 1...86_400)
    allowedPrivate = try reader.texts("allow-private") ?? []
    proxy = try reader.text("proxy")
    passthrough = try reader.flag("passthrough")
    logLevel = try reader.word("log-level")
    player = try reader.program("player")
    defaults = try reader.feedSettings()
  }
}

extension SettingsReader {
  fileprivate mutating func program(_ key: String) throws(SettingsError) -> String? {
    guard let name = try text(key) else { return nil }
    guard !name.isEmpty, !name.contains("/") || name.hasPrefix("/") else {
      throw error(key, "has to be a name, like \"mpv\", or a path from the root")
    }
    return name
  }
}
