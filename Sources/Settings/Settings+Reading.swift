internal import TOMLKit

extension Settings {
  /// The largest file in bytes; no user writes that much by hand.
  package static let largestFile = 1 << 20

  /// Reads a whole file.
  ///
  /// - Throws: for text that is no TOML, for unknown keys, and for values of a wrong type or out of
  ///   range, with the line.
  package init(toml text: String) throws(SettingsError) {
    self.init()
    // The parser ends a text at NUL, also at one that is written as an escape.
    guard !text.utf8.contains(0), !text.contains("\\u0000"), !text.contains("\\U00000000") else {
      throw SettingsError(line: nil, reason: "it holds NUL, as no text does; write it anew")
    }
    let outline = TOMLOutline(text)
    // The parser takes these mistakes for impossible, and would end the process.
    if let mistake = outline.mistake {
      throw SettingsError(
        line: mistake,
        reason: "it is no TOML; texts need quotes, tables a name, and brackets their partner")
    }
    let table: TOMLTable
    do {
      table = try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      throw SettingsError(line: error.source.begin.line, reason: error.description)
    } catch {
      throw SettingsError(line: nil, reason: "it is no TOML: \(error)")
    }
    var reader = SettingsReader(table, in: outline, place: .top)
    cacheDirectory = try reader.text("cache-dir")
    authorities = try reader.text("cacert")
    // Commands run in any directory, and no shell is here to replace ~.
    for (key, path) in [("cache-dir", cacheDirectory), ("cacert", authorities)] {
      guard path?.hasPrefix("/") ?? true else {
        throw reader.error(key, "has to be a path from the root, like \"/var/\(key)\"")
      }
    }
    pins = try reader.pairs("pins") ?? [:]
    minFree = try reader.text("min-free")
    cacheSize = try reader.text("cache-size")
    limitRate = try reader.text("limit-rate")
    fill = try reader.text("fill", oneOf: ["window", "rest", "all"])
    readTimeout = try reader.number("read-timeout", 1...86_400)
    allowedPrivate = try reader.texts("allow-private") ?? []
    proxy = try reader.text("proxy")
    passthrough = try reader.flag("passthrough")
    logLevel = try reader.text("log-level", oneOf: ["error", "warning", "info", "debug"])
    player = try reader.program("player")
    defaults = try reader.feedSettings()
    for (index, table) in try reader.tables("feed").enumerated() {
      feeds.append(try Subscription(table, in: outline, number: index))
    }
    try reader.end()
  }
}

extension Subscription {
  fileprivate init(_ table: TOMLTable, in outline: TOMLOutline, number: Int) throws(SettingsError) {
    var reader = SettingsReader(table, in: outline, place: .feed(number))
    guard let url = try reader.text("url"), !url.isEmpty else {
      throw reader.error("a [[feed]] has no url; give it one, or take it out")
    }
    self.init(url: url, name: try reader.text("name"))
    headers = try reader.pairs("headers") ?? [:]
    settings = try reader.feedSettings()
    try reader.end()
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

/// The reason why a configuration file cannot be used.
package struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1; nil: no single line.
  package let line: Int?
  /// The mistake, and its remedy.
  package let reason: String

  package var description: String {
    line.map { "line \($0): \(reason)" } ?? reason
  }
}
