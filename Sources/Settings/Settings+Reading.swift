internal import TOMLKit

extension Settings {
  /// Bytes; nobody writes so much by hand.
  package static let largestFile = 1 << 20

  /// Reads a whole file.
  ///
  /// - Throws: for what is no TOML, for keys that are not known, and for values of a wrong type or out
  ///   of range, with the line.
  package init(toml text: String) throws(SettingsError) {
    self.init()
    let table: TOMLTable
    do {
      table = try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      throw SettingsError(line: error.source.begin.line, reason: error.description)
    } catch {
      throw SettingsError(line: nil, reason: "it is no TOML: \(error)")
    }
    var reader = SettingsReader(table, in: text, place: .top)
    cacheDirectory = try reader.text("cache-dir")
    minFree = try reader.text("min-free")
    readTimeout = try reader.number("read-timeout", 1...86_400)
    allowedPrivate = try reader.texts("allow-private") ?? []
    proxy = try reader.text("proxy")
    logLevel = try reader.text("log-level", oneOf: ["error", "warning", "info", "debug"])
    defaults = try reader.feedSettings()
    for (index, table) in try reader.tables("feed").enumerated() {
      feeds.append(try Subscription(table, in: text, number: index))
    }
    try reader.end()
  }
}

extension Subscription {
  fileprivate init(_ table: TOMLTable, in text: String, number: Int) throws(SettingsError) {
    var reader = SettingsReader(table, in: text, place: .feed(number))
    guard let url = try reader.text("url"), !url.isEmpty else {
      throw reader.error("a [[feed]] has no url; give it one, or take it out")
    }
    self.init(url: url, name: try reader.text("name"))
    settings = try reader.feedSettings()
    try reader.end()
  }
}

extension SettingsReader {
  fileprivate mutating func feedSettings() throws(SettingsError) -> FeedSettings {
    var settings = FeedSettings()
    settings.refresh = try number("refresh", 1...86_400)
    settings.audio = try flag("audio")
    settings.maxHeight = try count("max-height")
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
