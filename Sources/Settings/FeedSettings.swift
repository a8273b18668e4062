/// The settings by which a feed is read. Nil means the default.
package struct FeedSettings: Hashable, Sendable {
  /// Seconds between two refreshes.
  package var refresh: Double?
  package var audio: Bool?
  package var maxHeight: Int?
  /// Containers and codecs, the best first.
  package var prefer: [String]?
  /// The number of pages; `Int.max` for all.
  package var pages: Int?
  package var guessesPages: Bool?
  package var sidecars: [String]?
  package var resolver: [String]?

  /// The containers and codecs that `prefer` may name.
  package static let formats = [
    "mp4", "h264", "mp3", "aac", "webm", "vp8", "vp9", "opus", "vorbis", "ogg", "mkv", "mov", "ts",
    "flac", "wav", "hevc", "av1", "mpeg", "avi", "flv", "wmv", "wma", "ogv", "theora", "3gp",
  ]

  package init() {}

  /// Returns these settings. Those that are nil come from `others`.
  package func over(_ others: FeedSettings) -> FeedSettings {
    var all = self
    all.refresh = refresh ?? others.refresh
    all.audio = audio ?? others.audio
    all.maxHeight = maxHeight ?? others.maxHeight
    all.prefer = prefer ?? others.prefer
    all.pages = pages ?? others.pages
    all.guessesPages = guessesPages ?? others.guessesPages
    all.sidecars = sidecars ?? others.sidecars
    all.resolver = resolver ?? others.resolver
    return all
  }
}

extension SettingsReader {
  /// Reads the keys of one feed, or those for all feeds.
  mutating func feedSettings() throws(SettingsError) -> FeedSettings {
    var settings = FeedSettings()
    settings.refresh = try number("refresh", 1...86_400)
    settings.audio = try flag("audio")
    settings.maxHeight = try count("max-height")
    settings.prefer = try texts("prefer", of: FeedSettings.formats)
    settings.pages = try count("pages", orAll: true)
    settings.guessesPages = try flag("guess-pages")
    settings.sidecars = try texts("sidecars", of: ["subtitles", "covers", "nfo"])
    settings.resolver = try texts("resolver")
    if let resolver = settings.resolver, !resolver.isEmpty,
      !resolver.dropFirst().contains(where: { $0.contains("{url}") })
    {
      throw error("resolver", "has to have {url} in one of its arguments")
    }
    return settings
  }
}
