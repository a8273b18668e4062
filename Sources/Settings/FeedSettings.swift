package import Catalog
package import FeedReading

/// The settings of a feed, or those for all feeds. Nil means the default.
package struct FeedSettings: Hashable, Sendable {
  /// The time between two refreshes, in seconds.
  package var refresh: Double?
  package var audio: Bool?
  package var maxHeight: Int?
  /// Containers and codecs, the best first.
  package var prefer: [String]?
  /// Whether an HLS or DASH stream becomes a file.
  package var streams: Bool?
  /// The languages of sound and subtitles in streams (BCP 47), the best first, in lower case.
  package var languages: [String]?
  /// The number of pages that are read in any case; `Int.max` for all.
  package var pages: Int?
  package var guessesPages: Bool?
  package var sidecars: Set<Sidecar.Kind>?
  /// The way in which files are named.
  package var names: FileNaming?
  package var resolver: ResolverSetting?
  /// How many entries after the one that is playing have their web pages resolved in advance; 0 for
  /// none.
  package var resolvesAhead: Int?
  /// The rules that decide which entries are listed.
  package var rules = EntryRules()
  /// The entries that are fetched automatically.
  package var keep: KeepRule?

  /// The containers and codecs that `prefer` can name.
  package static let formats = [
    "mp4", "h264", "mp3", "aac", "webm", "vp8", "vp9", "opus", "vorbis", "ogg", "mkv", "mov", "ts",
    "flac", "wav", "hevc", "av1", "mpeg", "avi", "flv", "wmv", "wma", "ogv", "theora", "3gp",
  ]

  /// Returns these settings. If one of them is nil, its value comes from `others`.
  package func over(_ others: FeedSettings) -> FeedSettings {
    var all = self
    all.refresh = refresh ?? others.refresh
    all.audio = audio ?? others.audio
    all.maxHeight = maxHeight ?? others.maxHeight
    all.prefer = prefer ?? others.prefer
    all.streams = streams ?? others.streams
    all.languages = languages ?? others.languages
    all.pages = pages ?? others.pages
    all.guessesPages = guessesPages ?? others.guessesPages
    all.sidecars = sidecars ?? others.sidecars
    all.names = names ?? others.names
    all.resolver = resolver ?? others.resolver
    all.resolvesAhead = resolvesAhead ?? others.resolvesAhead
    all.rules = rules.over(others.rules)
    all.keep = keep ?? others.keep
    return all
  }
}

private enum OnOff: String, CaseIterable {
  case on, off
}

extension SettingsReader {
  /// Reads the keys of one feed, or the same keys outside of `[[feed]]`, which are for all feeds.
  mutating func feedSettings() throws(SettingsError) -> FeedSettings {
    var settings = FeedSettings()
    settings.refresh = try seconds("refresh", 1...86_400)
    settings.audio = try flag("audio")
    settings.maxHeight = try count("max-height")
    settings.prefer = try texts("prefer", of: FeedSettings.formats)
    settings.streams = try word("streams", of: OnOff.self).map { $0 == .on }
    settings.languages = try languages("languages")
    settings.pages = try count("pages", orAll: true)
    settings.guessesPages = try flag("guess-pages")
    settings.sidecars = try words("sidecars").map { Set($0) }
    settings.names = try word("names")
    settings.resolver = try resolver("resolver")
    settings.resolvesAhead = try ahead("resolve")
    settings.rules = try rules()
    settings.keep = try written("keep")
    return settings
  }
}

extension FeedSettings {
  /// Returns the number of web pages to resolve in advance: 0 for "open", N for "ahead:N", and nil
  /// for any other text.
  package static func pagesAhead(_ text: String) -> Int? {
    guard text != "open" else { return 0 }
    let prefix = "ahead:"
    guard text.hasPrefix(prefix), let count = Int(text.dropFirst(prefix.count)),
      (1...maxAhead).contains(count)
    else { return nil }
    return count
  }

  /// The limit for the pages that are resolved in advance. feedfs resolves at most 20 pages of a
  /// site in an hour.
  private static let maxAhead = 20
}

extension FeedSettings {
  /// Returns `tags` in lower case; nil if one of them is no language tag.
  ///
  /// A language tag has parts of 1 to 8 letters and digits, with hyphens between them (BCP 47). The
  /// first part has 2 to 8 letters, and the last part has more than one character.
  package static func languages(_ tags: [String]) -> [String]? {
    let isFine = tags.allSatisfy { tag in
      let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      guard let first = parts.first, let last = parts.last else { return false }
      return first.count >= 2 && first.allSatisfy(isLetter) && last.count > 1
        && parts.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy(isLetterOrDigit) }
    }
    return isFine ? tags.map { $0.lowercased() } : nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte)
  }
}

extension SettingsReader {
  fileprivate mutating func languages(_ key: String) throws(SettingsError) -> [String]? {
    guard let tags = try texts(key) else { return nil }
    guard let languages = FeedSettings.languages(tags) else {
      throw error(key, "has to be a list of language tags, like [\"en\", \"pt-BR\"]")
    }
    return languages
  }

  fileprivate mutating func ahead(_ key: String) throws(SettingsError) -> Int? {
    guard let text = try text(key) else { return nil }
    guard let count = FeedSettings.pagesAhead(text) else {
      throw error(key, "can be \"open\", or \"ahead:N\" with N from 1 to 20")
    }
    return count
  }
}
